package dataset_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// TestPublishedSetsNeedNoMapping has some invented rows in each of the shapes that sets are published in.
func TestPublishedSetsNeedNoMapping(t *testing.T) {
	const cEval = "id,question,A,B,C,D,answer"
	for name, test := range map[string]struct {
		files       map[string]string
		want, shots string // as told
		read        string
	}{
		"C-Eval, whose test files have no answers": {map[string]string{
			"dev/tax_accountant_dev.csv":   cEval + ",explanation\n0,D1,x,y,z,v,C,because\n",
			"val/tax_accountant_val.csv":   cEval + "\n0,V1,x,y,z,v,B\n1,V2,x,y,z,v,\n",
			"test/tax_accountant_test.csv": strings.TrimSuffix(cEval, ",answer") + "\n0,T1,x,y,z,v\n1,T2,x,y,z,v\n",
			"dev/law_dev.csv":              cEval + ",explanation\n0,D2,x,y,z,v,A,so\n",
			"val/law_val.csv":              cEval + "\n0,V3,x,y,z,v,D\n",
			"test/law_test.csv":            strings.TrimSuffix(cEval, ",answer") + "\n0,T3,x,y,z,v\n",
		}, "1 law V3 [x y z v] D ; 2 tax accountant V1 [x y z v] B ", "1 law D2 [x y z v] A ; 2 tax accountant D1 [x y z v] C ",
			"1 row left out (no answer); 3 questions of the test files left out, which have no answers: those of val are asked"},
		"C-Eval without test files, an answer empty": {map[string]string{
			"dev/law_dev.csv": cEval + ",explanation\n0,D1,x,y,z,v,C,because\n",
			"val/law_val.csv": cEval + "\n0,V1,x,y,z,v,B\n1,V2,x,y,z,v,\n",
		}, "1 law V1 [x y z v] B ", "1 law D1 [x y z v] C ", "1 row left out (no answer)"},
		"C-Eval in parquet's places, answers empty": {map[string]string{
			"law/dev-00000-of-00001.jsonl":  `{"id":0,"question":"D1","A":"x","B":"y","C":"z","D":"v","answer":"C","explanation":"so"}`,
			"law/val-00000-of-00001.jsonl":  `{"id":0,"question":"V1","A":"x","B":"y","C":"z","D":"v","answer":"A","explanation":""}`,
			"law/test-00000-of-00001.jsonl": `{"id":0,"question":"T1","A":"x","B":"y","C":"z","D":"v","answer":"","explanation":""}`,
		}, "1 law V1 [x y z v] A ", "1 law D1 [x y z v] C ", "1 question of the test files left out"},
		"MMLU's own files": {map[string]string{
			"data/dev/high_school_physics_dev.csv":   "D1,x,y,z,v,A\n",
			"data/val/high_school_physics_val.csv":   "V1,x,y,z,v,A\n",
			"data/test/high_school_physics_test.csv": "\"T1, a; b; c; d; e; f; g\",0,0.5,z,v,C\nT2,x,y,z,v,D\n",
			"data/auxiliary_train/law.csv":           "X,x,y,z,v,D\n",
			"data/test/anatomy_test.csv":             "T3,x,y,z,v,B\n",
		}, "1 anatomy T3 [x y z v] B ; 2 high school physics T1, a; b; c; d; e; f; g [0 0.5 z v] C ; 3 high school physics T2 [x y z v] D ",
			"1 high school physics D1 [x y z v] A ", "question=1,options=2+3+4+5,answer=6,answer-is=letter,separator=comma,header=no"},
		"MMLU on the hub": {map[string]string{
			"all/test-00000-of-00001.jsonl":     `{"question":"T1","subject":"law","choices":["x","y"],"answer":1}`,
			"law/dev-00000-of-00001.jsonl":      `{"question":"D1","subject":"law","choices":["x","y"],"answer":0}`,
			"law/test-00000-of-00001.jsonl":     `{"question":"T1","subject":"law","choices":["x","y"],"answer":1}`,
			"anatomy/test-00000-of-00001.jsonl": `{"question":"T2","subject":"anatomy","choices":["x","y"],"answer":0}`,
		}, "1 anatomy T2 [x y] A ; 2 law T1 [x y] B ", "1 law D1 [x y] A ", "MMLU's columns"},
		"a subject's files in one folder": {map[string]string{
			"law_dev.csv": "D1,x,y,z,v,A\n", "law_test.csv": "T1,x,y,z,v,C\n",
		}, "1 law T1 [x y z v] C ", "1 law D1 [x y z v] A ", "header=no"},
		"GPQA": {map[string]string{"test.csv": "Record ID,Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2," +
			"Incorrect Answer 3,High-level domain,Subdomain\nrec1,Q1,yes,no,never,maybe,Physics,Optics\nrec2,Q2,yes,no,never,maybe,Physics,Optics\n"},
			"1 Physics Q1 [no never maybe yes] D rec1; 2 Physics Q2 [maybe yes no never] B rec2", "", "GPQA's columns"},
		"SuperGPQA": {map[string]string{"test.jsonl": `{"uuid":"u1","question":"Q1","options":["B","x","y"],"answer":"B",` +
			`"answer_letter":"A","discipline":"Law","field":"Law","subfield":"Civil","difficulty":"easy","is_calculation":false}` + "\n" +
			`{"uuid":"u2","question":"Q2","options":["x","y","z"],"answer":"z","answer_letter":"C","discipline":"Law"}`},
			"1 Law Q1 [B x y] A u1; 2 Law Q2 [x y z] C u2", "", "SuperGPQA's columns"},
		"MMLU-ProX, a language": {map[string]string{
			"test-00000-of-00001.jsonl": `{"question_id":70,"question":"F1","option_0":"x","option_1":"y","option_2":"z",` +
				`"option_3":null,"option_4":null,"option_5":null,"option_6":null,"option_7":null,"option_8":null,"option_9":null,` +
				`"answer":"C","answer_index":2,"cot_content":"","category":"law","src":"w","question_id_src":7}`,
		}, "70 law F1 [x y z] C w", "", "MMLU-ProX's columns"},
		"MMLU-Redux 2.0": {map[string]string{"law/test/0000.jsonl": "", "law/test-00000-of-00001.jsonl": strings.Join([]string{
			`{"question":"Q1","choices":["x","y","z","v"],"answer":3,"error_type":"ok","source":"w","correct_answer":null}`,
			`{"question":"Q2","choices":["x","y","z","v"],"answer":3,"error_type":"wrong_groundtruth","correct_answer":"1"}`,
			`{"question":"Q3","choices":["x","y","z","v"],"answer":3,"error_type":"wrong_groundtruth","correct_answer":"C"}`,
			`{"question":"Q4","choices":["x","y","z","v"],"answer":3,"error_type":"wrong_groundtruth","correct_answer":"none"}`,
			`{"question":"Q5","choices":["x","y","z","v"],"answer":3,"error_type":"multiple_correct_answers","correct_answer":"A,B"}`,
			`{"question":"Q6","choices":["x","y","z","v"],"answer":3,"error_type":"multiple_correct_answers","correct_answer":""}`,
		}, "\n")},
			"1 law Q1 [x y z v] D w; 2 law Q2 [x y z v] B ; 3 law Q3 [x y z v] C ", "",
			"2 rows left out (multiple_correct_answers); 1 row left out (wrong_groundtruth)"},
		"ARC on the hub": {map[string]string{
			"ARC-Easy/test-00000-of-00001.jsonl": `{"id":"M1","question":"Q1","choices":{"text":["x","y"],"label":["1","2"]},` +
				`"answerKey":"2"}`},
			"1 ARC-Easy Q1 [x y] B M1", "", "ARC's columns"},
		"ARC, as its authors have it": {map[string]string{
			"test.jsonl": `{"id":"M1","question":{"stem":"Q1","choices":[{"text":"x","label":"A"},{"text":"y","label":"B"}]},"answerKey":"B"}`},
			"1 general knowledge Q1 [x y] B M1", "", "ARC's columns, as its authors have them"},
	} {
		t.Run(name, func(t *testing.T) {
			readsAs(t, folderOf(t, test.files), "", test.want, test.shots, test.read)
		})
	}
}

func TestSubjectsOfFilesArePartOfWhatASetIs(t *testing.T) {
	sum := func(name string) string {
		return openFile(t, folderOf(t, map[string]string{name: "Q,x,y,z,v,A\n"})).SHA256
	}
	assert.Check(t, sum("law_test.csv") != sum("math_test.csv"))
	assert.Check(t, sum("law_test.csv") == sum("test/law_test.csv"), "the same set in another place is another one")
}
