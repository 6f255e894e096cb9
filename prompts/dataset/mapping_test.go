package dataset_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts/dataset"
	"proctor/scripts/tests/errortest"
)

const mapped = "question=q,options=a+b+c,answer=k"

func TestFilesOfManyShapesAreRead(t *testing.T) {
	for name, test := range map[string]struct {
		name, content, mapping string
		want                   string // id subject question options answer src; and so on
		read                   string // in how the split was read
	}{
		"CSV with a column an option, indices from 1": {"x.csv", "q,a,b,c,k\nQ1,x,y,z,3\nQ2,x,y,,1\n", mapped,
			"1 general knowledge Q1 [x y z] C ; 2 general knowledge Q2 [x y] A ", "answer-is=index1; k is read as index1: no other"},
		"indices from 0": {"x.csv", "q,a,b,c,k\nQ1,x,y,z,2\nQ2,x,y,z,0\n", mapped,
			"1 general knowledge Q1 [x y z] C ; 2 general knowledge Q2 [x y z] A ", "k is read as index0"},
		"small letters": {"x.csv", "q,a,b,c,k\nQ1,x,y,z, c\n", mapped, "1 general knowledge Q1 [x y z] C ", "k is read as letter"},
		"texts":         {"x.csv", "q,a,b,c,k\nQ1,x,y,z,y \n", mapped, "1 general knowledge Q1 [x y z] B ", "k is read as text"},
		"indices that are the options' own texts": {"x.csv", "q,a,b,c,k\nQ1,0,1,2,1\nQ2,0,1,2,0\n", mapped,
			"1 general knowledge Q1 [0 1 2] B ; 2 general knowledge Q2 [0 1 2] A ", "k is read as index0: text says the same"},
		"what is said comes before what would be found": {"x.csv", "q,a,b,c,k\nQ1,1,0,2,1\nQ2,2,1,0,0\n", mapped + ",answer-is=text",
			"1 general knowledge Q1 [1 0 2] A ; 2 general knowledge Q2 [2 1 0] C ", "answer-is=text"},
		"columns by number": {"x.csv", "Q1,x,y,B\n", "question=1,options=2+3,answer=4,header=no",
			"1 general knowledge Q1 [x y] B ", "header=no"},
		"ids, subjects, sources": {"x.csv", "q,a,b,c,k,n,s,w\nQ1,x,y,,A,70,law,me\n", mapped + ",id=n,subject=s,src=w",
			"70 law Q1 [x y] A me", "id=n"},
		"nested, with labels": {"x.jsonl", `{"q":{"stem":"Q1","choices":[{"label":"1","text":"x"},{"label":"2","text":"y"}]},"k":"2"}`,
			"question=q.stem,options=q.choices.text,labels=q.choices.label,answer=k", "1 general knowledge Q1 [x y] B ", "answer-is=label"},
		"numbers as options": {"x.json", `[{"q":"2+2?","o":[3,4.0],"k":"B"}]`, "question=q,options=o,answer=k",
			"1 general knowledge 2+2? [3 4.0] B ", "JSON"},
		"a list in a CSV cell": {"x.csv", "q,o,k\nQ1,\"[\"\"x, y\"\", \"\"z\"\"]\",B\n", "question=q,options=o,answer=k",
			"1 general knowledge Q1 [x, y z] B ", "CSV"},
		"a list filled up with empty options": {"x.csv", "q,o,k\nQ1,\"[\"\"x\"\", \"\"y\"\", \"\"\"\", \"\" \"\"]\",2\n",
			"question=q,options=o,answer=k", "1 general knowledge Q1 [x y] B ", "answer-is=index1"},
		"labels of empty options": {"x.jsonl",
			`{"question":"Q1","choices":{"text":["x","y",""],"label":["A","B","C"]},"answerKey":"B"}`, "",
			"1 general knowledge Q1 [x y] B ", "ARC's columns"},
		"subjects with spaces around them": {"x.csv",
			"q,a,b,c,k,s\nQ1,x,y,z,A,math\nQ2,x,y,z,A,math \nQ3,x,y,z,A,\" \"\n", mapped + ",subject=s",
			"1 math Q1 [x y z] A ; 2 math Q2 [x y z] A ; 3 general knowledge Q3 [x y z] A ", "subject=s"},
		"tabs, and as many commas in the first line": {"x.tsv", "question\toptions\tanswer\tnotes, marks, and, more\n" +
			"Q1\t\"[\"\"x\"\",\"\"y\"\"]\"\tB\tnone\n", "", "1 general knowledge Q1 [x y] B ", "CSV, separated by tabs"},
		"MMLU's": {"x.jsonl", `{"question":"Q1","subject":"law","choices":["x","y"],"answer":0}`, "", "1 law Q1 [x y] A ",
			"MMLU's columns; question=question,options=choices,answer=answer,answer-is=index0,subject=subject; answer is read as index0"},
		"a column an option, in any case": {"x.tsv", "Question\tA\tB\tAnswer\tSubject\nQ1\tx\ty\tB\tlaw\n", "",
			"1 law Q1 [x y] B ", "a column an option; question=Question,options=A+B,answer=Answer,answer-is=letter,subject=Subject"},
		"what is recognised, but for what is said": {"x.jsonl", `{"question":"Q1","topic":"law","choices":["x","y"],"answer":1}`,
			"subject=topic,answer-is=index1", "1 law Q1 [x y] A ", "options=choices,answer=answer,answer-is=index1,subject=topic"},
		"the usual names, and the answer's column": {"x.jsonl", `{"question":"Q1","choices":["x","y"],"subject":"law","key":"y"}`, "answer=key",
			"1 law Q1 [x y] B ", "question=question,options=choices,answer=key,answer-is=text,subject=subject; key is read as text"},
		"the usual names, and the question's column": {"x.jsonl", `{"prompt":"Q1","options":["x","y"],"answer":"b"}`, "question=prompt",
			"1 general knowledge Q1 [x y] B ", "question=prompt,options=options,answer=answer,answer-is=letter"},
		"a column an option, and the answer's": {"x.csv", "question,A,B,key\nQ1,x,y,2\n", "answer=key",
			"1 general knowledge Q1 [x y] B ", "options=A+B,answer=key,answer-is=index1"},
		"MMLU-Pro's, but for the subject": {"x.jsonl", strings.TrimSuffix(good, "}") + `,"topic":"sums"}`, "subject=topic",
			"7 sums 2 + 2? [3 4 5] B me", "answer=answer,answer-is=letter,subject=topic"},
	} {
		t.Run(name, func(t *testing.T) {
			readsAs(t, write(t, test.name, test.content), test.mapping, test.want, "", test.read)
		})
	}
}

// readsAs opens a file or a folder, and the set that is imported of it, which needs no mapping.
func readsAs(t *testing.T, path, mapping, want, shots, read string) {
	t.Helper()
	o := dataset.Options{Folder: t.TempDir(), Map: parsed(t, mapping)}
	set := mustOpen(t, path, o)
	assert.Equal(t, told(set.Test), want)
	assert.Equal(t, told(set.Validation), shots)
	assert.Assert(t, strings.Contains(set.Splits[0].Read(), read), set.Splits[0].Read())
	imports(t, o, "mine", path)
	again := mustOpen(t, "mine", dataset.Options{Folder: o.Folder})
	assert.Equal(t, told(again.Test), want)
	assert.Equal(t, told(again.Validation), shots)
	assert.Assert(t, again.SHA256 == set.SHA256 && again.Imported && !set.Imported && again.Splits[0].Read() == set.Splits[0].Read())
}

func TestWhatDoesNotFitIsNamedWithARemedy(t *testing.T) {
	for name, test := range map[string]struct {
		content, mapping string
		want             []string
	}{
		"an unknown shape": {"q,a,b,k\nQ,x,y,A\n", "",
			[]string{`its columns, ["q" "a" "b" "k"], are not recognised; say which is which: map question=COLUMN`}},
		"a column that is not there": {"q,a,b,c,k\nQ,x,y,z,A\n", "question=prompt,options=a+b,answer=k",
			[]string{`there is no column "prompt", which the mapping names; there are ["q" "a" "b" "c" "k"]`}},
		"half a mapping": {"q,x,y,z,k\nQ,x,y,z,A\n", "question=q,answer=k", []string{"it lacks options=COLUMN", `columns: ["q"`}},
		"a mapping with too much": {"q,a,b,c,k\nQ,x,y,z,A\n", "question=q,options=a+b,correct=c,incorrect=a,answer=k",
			[]string{"correct=COLUMN stands instead of options"}},
		"labels that are none": {"q,a,b,c,k\nQ,x,y,z,A\n", mapped + ",answer-is=label", []string{"answer-is=label and labels=COLUMN go"}},
		"an answer that can be two things": {"q,a,b,c,k\nQ,x,y,z,1\nR,x,y,z,2\n", mapped,
			[]string{`column k can be read as index0 and as index1, which differ (first in `, `x.csv:2: "1"): say answer-is=index0 or`}},
		"an answer that is an index, or a text": {"q,a,b,c,k\nQ,x,y,z,3\nR,2,3,1,3\nS,3,1,2,3\n", mapped + ",answer-is=text",
			[]string{`x.csv:2: k "3" is none of the options ["x" "y" "z"]`}},
		"an answer that is an index in one row, and a text, too": {"q,a,b,c,k\nQ,1,2,3,3\nR,2,3,1,3\n", mapped,
			[]string{`column k can be read as index1 and as text, which differ (first in `, `x.csv:3: "3"): say answer-is=index1 or`}},
		"the usual names without the answer's": {"question,A,B,key\nQ1,x,y,2\n", "subject=key",
			[]string{"it lacks question=COLUMN", `columns: ["question"`}},
		"an answer that is nothing in one row": {"q,a,b,c,k\nQ,x,y,z,A\nR,x,y,z,B\nS,x,y,z,E\n", mapped,
			[]string{`1 bad row: `, `x.csv:4: k "E" is not one of A–C`}},
		"an answer that most rows' reading does not fit": {"q,a,b,c,k\nQ,x,y,z,A\nR,x,y,z,E\n", mapped,
			[]string{"no reading of column k fits all 2 rows: letter fits 1 (not ", `x.csv:3: "E" is not one of A–C), index0 fits 0`,
				"correct the rows, or say which it is, as in answer-is=letter"}},
		"options that have letters, beside a question and an answer of other names": {"Frage,A,B,C,Lösung\nQ,x,y,z,A\n", "",
			[]string{"say which is which: map question=Frage,options=A+B+C,answer=Lösung"}},
		"a list of options": {"id,prompt,choices,key\n7,Q,x,A\n", "", []string{"map question=prompt,options=choices,answer=key"}},
		"a letter too far":  {"q,a,b,c,k\nQ,x,y,,C\n", mapped + ",answer-is=letter", []string{`x.csv:2: k "C" is not one of A–B`}},
		"an index too far": {"q,a,b,c,k\nQ,x,y,z,4\n", mapped + ",answer-is=index1",
			[]string{`x.csv:2: k "4" is not an index of 3 options from 1 (1–3)`, "mend the file"}},
		"an index too small": {"q,a,b,c,k\nQ,x,y,z,0\n", mapped + ",answer-is=index1", []string{`k "0" is not an index of 3 options from 1`}},
		"a text that is no option": {"q,a,b,c,k\nQ,x,y,z,w\n", mapped + ",answer-is=text",
			[]string{`x.csv:2: k "w" is none of the options ["x" "y" "z"]`}},
		"a text that is two options": {"q,a,b,c,k\nQ,x,y,x,x\n", mapped + ",answer-is=text", []string{`k "x" is two of the options`}},
		"no answer":                  {"q,a,b,c,k\nQ,x,y,z,\n", mapped + ",answer-is=letter", []string{"x.csv:2: k is empty"}},
		"a gap between options": {"q,a,b,c,k\nQ,x,,z,A\n", mapped + ",answer-is=letter",
			[]string{"x.csv:2: b is empty, and c after it is not: write it, or take it out"}},
		"a gap in a list": {"q,o,k\nQ,\"[\"\"x\"\",\"\"\"\",\"\"z\"\"]\",A\n", "question=q,options=o,answer=k,answer-is=letter",
			[]string{"x.csv:2: option 2 of o is empty, and option 3 of o after it is not: write it, or take it out"}},
		"an answer that names an empty option": {"q,o,k\nQ,\"[\"\"x\"\",\"\"y\"\",\"\"\"\"]\",C\n",
			"question=q,options=o,answer=k,answer-is=letter",
			[]string{`x.csv:2: k "C" is not one of A–B (1 empty option at the end left out)`}},
		"an id that is not a number": {"q,a,b,c,k,i\nQ,x,y,z,A,rec7\n", mapped + ",id=i",
			[]string{"x.csv:2: i is a string, and no whole number: leave id out, and src=i keeps it"}},
		"one id twice": {"q,a,b,c,k,i\nQ,x,y,z,A,7\nR,x,y,z,A,7\n", mapped + ",id=i",
			[]string{"x.csv:3: question id 7 is already taken by"}},
		"no list of options": {"q,o,k\nQ,x or y,A\n", "question=q,options=o,answer=k,answer-is=letter",
			[]string{"x.csv:2: o is a string, want a list of strings"}},
		"a right answer that is also wrong": {"q,a,b,c,k\nQ,x,y,x,\n", "question=q,correct=a,incorrect=b+c",
			[]string{`x.csv:2: a "x" is two of the options`}},
		"a right answer that is missing": {"q,a,b,c,k\nQ,,y,x,\n", "question=q,correct=a,incorrect=b+c", []string{"x.csv:2: a is empty"}},
	} {
		file := write(t, "x.csv", test.content)
		_, err := dataset.Open(file, dataset.Options{Folder: t.TempDir(), Map: parsed(t, test.mapping)})
		errortest.For(t, name, err, append(test.want, file)...)
		assert.Check(t, !strings.Contains(fmt.Sprint(err), "\n"), "%s: %v", name, err)
	}
}

func TestASetWithoutAGoodRowNamesTheBadOnes(t *testing.T) {
	file := write(t, "test.jsonl", "{}\n"+strings.Replace(good, "2 + 2", `\ud800`, 1))
	_, err := dataset.Open(file, dataset.Options{Folder: t.TempDir(), SkipBadRows: true})
	errortest.Says(t, err, "no test questions: 2 bad rows and no other: ", file+":1: empty question",
		file+`:2: \ud800 at byte 30 is half of a character (a lone surrogate)`)
}

func parsed(t *testing.T, text string) dataset.Mapping {
	t.Helper()
	if text == "" {
		return dataset.Mapping{}
	}
	m, err := dataset.ReadMapping(text)
	assert.NilError(t, err)
	return m
}

// told are the parts of questions that the tests compare.
func told(questions []dataset.Question) string {
	var all []string
	for _, q := range questions {
		all = append(all, fmt.Sprint(q.ID, " ", q.Subject, " ", q.Text, " ", q.Options, " ", q.Answer, " ", q.Src))
	}
	return strings.Join(all, "; ")
}

func TestAMappingIsWrittenAsItIsRead(t *testing.T) {
	for text, want := range map[string]string{
		"question=prompt,options=choices,answer=label":             "question=prompt,options=choices,answer=label",
		" answer = label , question = the prompt ,options=A + B":   "question=the prompt,options=A+B,answer=label",
		`question="a, b",options="x+y"+"z \" #",answer=choices.1`:  `question="a, b",options="x+y"+"z \" #",answer=choices.1`,
		"correct=Right,incorrect=W 1+W 2,question=Q # a comment":   "question=Q,correct=Right,incorrect=W 1+W 2",
		"separator=tab,header=no,answer-is=index1,cot=why,id=nr":   "answer-is=index1,id=nr,cot=why,separator=tab,header=no",
		"labels=choices.label,answer-is=label,subject=s,src=where": "labels=choices.label,answer-is=label,subject=s,src=where",
	} {
		m := parsed(t, text)
		assert.Equal(t, m.String(), want)
		assert.Equal(t, parsed(t, m.String()).String(), want)
	}
	path := write(t, "map.txt", "# our exam\nquestion = prompt\n\noptions=A+B, answer=\"the, label\"  # as index\n")
	assert.Equal(t, parsed(t, "@"+path).String(), `question=prompt,options=A+B,answer="the, label"`)
}

func TestABadMappingSaysWhatIsWrong(t *testing.T) {
	bad := write(t, "map.txt", "question=a\nanswr=b\n")
	empty := write(t, "map.txt", "# nothing\n")
	for text, want := range map[string]string{
		"prompt":                      `mapping "prompt": "prompt" is no KEY=COLUMN, as in question=prompt`,
		"":                            `"" is no KEY=COLUMN`,
		"question=":                   "question: a column's name is missing",
		"options=A++B":                "options: a column's name is missing",
		"options=A+":                  "options: a column's name is missing",
		"question=a,":                 `"" is no KEY=COLUMN`,
		"promt=a":                     "promt: there is no such key; there are question, options, labels, answer, answer-is,",
		"question=a,question=b":       "question: it is given twice",
		"options=A,options=B":         "options: it is given twice",
		"answer=A+B":                  "answer: it takes one column, not 2; several are for options and incorrect",
		"answer-is=number":            `answer-is: "number" is none of letter, index0, index1, text, label`,
		"separator=,":                 "separator: a column's name is missing",
		"separator=space":             `separator: "space" is none of comma, semicolon, tab, pipe`,
		"header=yes":                  "header: there is header=no, once",
		`question="a"b`:               `question: after "a": want a comma, a plus or the end, not "b"`,
		"@" + bad:                     bad + `:2: answr: there is no such key`,
		"@" + empty:                   "says nothing; write lines such as question=prompt",
		"@" + filepath.Join(bad, "x"): "not a directory",
	} {
		_, err := dataset.ReadMapping(text)
		errortest.For(t, text, err, want)
		assert.Check(t, strings.HasPrefix(fmt.Sprint(err), "mapping ") && !strings.Contains(fmt.Sprint(err), "\n"), "%s: %v", text, err)
	}
}

// FuzzMapping reads arbitrary mappings: an error of one line, or one that is written as it is read.
func FuzzMapping(f *testing.F) {
	f.Add("question=prompt,options=A+B+C+D,answer=label,answer-is=index1")
	f.Add(`question="a, b", options="x+y"+z # so`)
	f.Add(`header=no,separator=tab,labels=choices.label`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := dataset.ReadMapping(strings.TrimPrefix(text, "@"))
		if err != nil {
			assert.Check(t, !strings.Contains(err.Error(), "\n"), "error of several lines: %v", err)
			return
		}
		again, err := dataset.ReadMapping(m.String())
		assert.Check(t, err == nil && again.String() == m.String(), "%q becomes %q, then %q, %v", text, m, again, err)
	})
}

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
			"1 row left out (no answer); 3 questions of the test files left out, which have no answers: those of val are used"},
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

// A set is its bytes, the subjects that its files' names say, and how it is read; not the names and places of its
// files.
func TestWhatASetIs(t *testing.T) {
	const csv, index0 = "q,a,b,c,k\nQ,x,y,z,2\n", mapped + ",answer-is=index0"
	sum := func(mapping string, namesAndContents ...string) string {
		files := map[string]string{}
		for i := 0; i < len(namesAndContents); i += 2 {
			files[namesAndContents[i]] = namesAndContents[i+1]
		}
		return mustOpen(t, folderOf(t, files), dataset.Options{Folder: t.TempDir(), Map: parsed(t, mapping)}).SHA256
	}
	both := sum("", "test.jsonl", good, "validation.jsonl", good)
	law := sum("", "law_test.csv", "Q,x,y,z,v,A\n")
	for name, test := range map[string]struct {
		a, b string
		same bool
	}{
		"other names":       {sum("", "data/test-00000-of-00001.jsonl", good, "data/validation.jsonl", good), both, true},
		"other bytes":       {sum("", "test.jsonl", good+"\n", "validation.jsonl", good), both, false},
		"a missing split":   {sum("", "test.jsonl", good), both, false},
		"another subject":   {sum("", "math_test.csv", "Q,x,y,z,v,A\n"), law, false},
		"in another folder": {sum("", "test/law_test.csv", "Q,x,y,z,v,A\n"), law, true},
		"another mapping":   {sum(mapped+",answer-is=index1", "test.csv", csv), sum(index0, "test.csv", csv), false},
	} {
		assert.Check(t, (test.a == test.b) == test.same, name)
	}
}
