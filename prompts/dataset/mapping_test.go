package dataset_test

import (
	"fmt"
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
			"1 general knowledge Q1 [x y z] C ; 2 general knowledge Q2 [x y] A ", "answer=k:index1"},
		"indices from 0": {"x.csv", "q,a,b,c,k\nQ1,x,y,z,2\nQ2,x,y,z,0\n", mapped,
			"1 general knowledge Q1 [x y z] C ; 2 general knowledge Q2 [x y z] A ", "answer=k:index0"},
		"small letters": {"x.csv", "q,a,b,c,k\nQ1,x,y,z, c\n", mapped, "1 general knowledge Q1 [x y z] C ",
			"answer=k:letter"},
		"texts": {"x.csv", "q,a,b,c,k\nQ1,x,y,z,y \n", mapped, "1 general knowledge Q1 [x y z] B ", "answer=k:text"},
		"indices that are the options' own texts": {"x.csv", "q,a,b,c,k\nQ1,0,1,2,1\nQ2,0,1,2,0\n", mapped,
			"1 general knowledge Q1 [0 1 2] B ; 2 general knowledge Q2 [0 1 2] A ", "answer=k:index0"},
		"what is said comes before what would be found": {"x.csv", "q,a,b,c,k\nQ1,1,0,2,1\nQ2,2,1,0,0\n", mapped + ":text",
			"1 general knowledge Q1 [1 0 2] A ; 2 general knowledge Q2 [2 1 0] C ", "answer=k:text"},
		"ids, subjects, reasoning": {"x.csv", "q,a,b,c,k,n,s,w\nQ1,x,y,,A,70.0,law,so\n", mapped + ",id=n,subject=s,cot=w",
			"70 law Q1 [x y] A ", "subject=s,id=n,cot=w"},
		"nested, with letters": {"x.jsonl",
			`{"q":{"stem":"Q1","choices":[{"key":"A","text":"x"},{"key":"B","text":"y"}]},"k":"B"}`,
			"question=q.stem,options=q.choices.text,answer=k", "1 general knowledge Q1 [x y] B ", "answer=k:letter"},
		"options without an order": {"x.csv", "q,a,b,c,k\nQ1,yes,no,never,\n", "question=q,options=a+b+c,answer=a",
			"1 general knowledge Q1 [no never yes] C ", "answer=a:text"},
		"numbers as options": {"x.json", `[{"q":"2+2?","o":[3,4.0],"k":"B"}]`, "question=q,options=o,answer=k",
			"1 general knowledge 2+2? [3 4.0] B ", "JSON"},
		"a list in a CSV cell": {"x.csv", "q,o,k\nQ1,\"[\"\"x, y\"\", \"\"z\"\"]\",B\n", "question=q,options=o,answer=k",
			"1 general knowledge Q1 [x, y z] B ", "CSV"},
		"a list filled up with empty options": {"x.csv", "q,o,k\nQ1,\"[\"\"x\"\", \"\"y\"\", \"\"\"\", \"\" \"\"]\",2\n",
			"question=q,options=o,answer=k", "1 general knowledge Q1 [x y] B ", "answer=k:index1"},
		"labels of empty options": {"x.jsonl",
			`{"question":"Q1","choices":{"text":["x","y",""],"label":["A","B","C"]},"answerKey":"B"}`, "",
			"1 general knowledge Q1 [x y] B ", "ARC's columns"},
		"subjects with spaces around them": {"x.csv",
			"q,a,b,c,k,s\nQ1,x,y,z,A,math\nQ2,x,y,z,A,math \nQ3,x,y,z,A,\" \"\n", mapped + ",subject=s",
			"1 math Q1 [x y z] A ; 2 math Q2 [x y z] A ; 3 general knowledge Q3 [x y z] A ", "subject=s"},
		"tabs, and as many commas in the first line": {"x.tsv", "question\toptions\tanswer\tnotes, marks, and, more\n" +
			"Q1\t\"[\"\"x\"\",\"\"y\"\"]\"\tB\tnone\n", "", "1 general knowledge Q1 [x y] B ", "CSV, separated by tabs"},
		"MMLU's": {"x.jsonl", `{"question":"Q1","subject":"law","choices":["x","y"],"answer":0}`, "", "1 law Q1 [x y] A ",
			"MMLU's columns; question=question,options=choices,answer=answer:index0,subject=subject"},
		"a column an option, in any case": {"x.tsv", "Question\tA\tB\tAnswer\tSubject\nQ1\tx\ty\tB\tlaw\n", "",
			"1 law Q1 [x y] B ", "a column an option; question=Question,options=A+B,answer=Answer:letter,subject=Subject"},
		"what is recognised, but for what is said": {"x.jsonl", `{"question":"Q1","topic":"law","choices":["x","y"],"answer":1}`,
			"subject=topic,answer=answer:index1", "1 law Q1 [x y] A ", "options=choices,answer=answer:index1,subject=topic"},
		"the usual names, and the answer's column": {"x.jsonl", `{"question":"Q1","choices":["x","y"],"subject":"law","key":"y"}`, "answer=key",
			"1 law Q1 [x y] B ", "question=question,options=choices,answer=key:text,subject=subject"},
		"the usual names, and the question's column": {"x.jsonl", `{"prompt":"Q1","options":["x","y"],"answer":"b"}`, "question=prompt",
			"1 general knowledge Q1 [x y] B ", "question=prompt,options=options,answer=answer:letter"},
		"a column an option, and the answer's": {"x.csv", "question,A,B,key\nQ1,x,y,2\n", "answer=key",
			"1 general knowledge Q1 [x y] B ", "options=A+B,answer=key:index1"},
		"MMLU-Pro's, but for the subject": {"x.jsonl", strings.TrimSuffix(good, "}") + `,"topic":"sums"}`, "subject=topic",
			"7 sums 2 + 2? [3 4 5] B me", "answer=answer:letter,subject=topic"},
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
	assert.Assert(t, again.SHA256 == set.SHA256 && again.Folder != "" && set.Folder == "" &&
		again.Splits[0].Read() == set.Splits[0].Read())
}

func TestWhatDoesNotFitIsNamedWithARemedy(t *testing.T) {
	for name, test := range map[string]struct {
		content, mapping string
		want             []string
	}{
		"an unknown shape": {"q,a,b,k\nQ,x,y,A\n", "",
			[]string{`its columns, ["q" "a" "b" "k"], are not recognised; say which is which: --map question=COLUMN`}},
		"a column that is not there": {"q,a,b,c,k\nQ,x,y,z,A\n", "question=prompt,options=a+b,answer=k",
			[]string{`there is no column "prompt", which the mapping names; there are ["q" "a" "b" "c" "k"]`}},
		"half a mapping": {"q,o,k\nQ,x,A\n", "question=q,answer=k",
			[]string{"not recognised; say which is which: --map question=q,options=COLUMN,answer=k"}},
		"an answer that can be two things": {"q,a,b,c,k\nQ,x,y,z,1\nR,x,y,z,2\n", mapped,
			[]string{`column k can be read as index0 and as index1, which differ (first in `,
				`x.csv:2: "1"): say --map answer=k:index0 or …:index1`}},
		"an answer that is an index, or a text": {"q,a,b,c,k\nQ,x,y,z,3\nR,2,3,1,3\nS,3,1,2,3\n", mapped + ":text",
			[]string{`x.csv:2: k "3" is none of the 3 options`}},
		"an answer that is an index in one row, and a text, too": {"q,a,b,c,k\nQ,1,2,3,3\nR,2,3,1,3\n", mapped,
			[]string{`column k can be read as index1 and as text, which differ (first in `,
				`x.csv:3: "3"): say --map answer=k:index1 or …:text`}},
		"the usual names without the answer's": {"question,A,B,key\nQ1,x,y,2\n", "subject=key",
			[]string{"not recognised; say which is which: --map question="}},
		"an answer that is nothing in one row": {"q,a,b,c,k\nQ,x,y,z,A\nR,x,y,z,B\nS,x,y,z,E\n", mapped,
			[]string{`1 bad row: `, `x.csv:4: k "E" is not one of A–C`}},
		"an answer that most rows' reading does not fit": {"q,a,b,c,k\nQ,x,y,z,A\nR,x,y,z,E\n", mapped,
			[]string{"no reading of column k fits all 2 rows: letter fits 1 (not ", `x.csv:3: "E" is not one of A–C), index0 fits 0`,
				"correct the rows, or say which column it is, and how it is read: --map answer=COLUMN:letter"}},
		"options that have letters, beside a question and an answer of other names": {"Frage,A,B,C,Lösung\nQ,x,y,z,A\n", "",
			[]string{"say which is which: --map question=Frage,options=A+B+C,answer=Lösung"}},
		"a list of options": {"id,prompt,choices,key\n7,Q,x,A\n", "",
			[]string{"--map question=prompt,options=choices,answer=key"}},
		"no header": {"Q1,x,y,z,v,C\nQ2,x,y,z,v,D\n", "",
			[]string{"the first line is a question and ends in its answer, C: put a line of names"}},
		"a letter too far": {"q,a,b,c,k\nQ,x,y,,C\n", mapped + ":letter", []string{`x.csv:2: k "C" is not one of A–B`}},
		"an index too far": {"q,a,b,c,k\nQ,x,y,z,4\n", mapped + ":index1",
			[]string{`x.csv:2: k "4" is not an index of 3 options from 1 (1–3)`, "mend the file"}},
		"an index too small": {"q,a,b,c,k\nQ,x,y,z,0\n", mapped + ":index1",
			[]string{`k "0" is not an index of 3 options from 1`}},
		"a text that is no option": {"q,a,b,c,k\nQ,x,y,z,w\n", mapped + ":text",
			[]string{`x.csv:2: k "w" is none of the 3 options`}},
		"a text that is two options": {"q,a,b,c,k\nQ,x,y,x,x\n", mapped + ":text", []string{`k "x" is two of the options`}},
		"no answer": {"q,a,b,c,k\nQ,x,y,z,\n", mapped + ":letter",
			[]string{"x.csv:2: k is nothing, want a letter, an index or an option's text"}},
		"a gap between options": {"q,a,b,c,k\nQ,x,,z,A\n", mapped + ":letter",
			[]string{"x.csv:2: b is empty, and another option follows: write it, or take it out"}},
		"a gap in a list": {"q,o,k\nQ,\"[\"\"x\"\",\"\"\"\",\"\"z\"\"]\",A\n", "question=q,options=o,answer=k:letter",
			[]string{"x.csv:2: option 2 of o is empty, and another option follows: write it, or take it out"}},
		"an answer that names an empty option": {"q,o,k\nQ,\"[\"\"x\"\",\"\"y\"\",\"\"\"\"]\",C\n",
			"question=q,options=o,answer=k:letter",
			[]string{`x.csv:2: k "C" is not one of A–B (1 empty option at the end left out)`}},
		"an id that is not a number": {"q,a,b,c,k,i\nQ,x,y,z,A,rec7\n", mapped + ",id=i",
			[]string{"x.csv:2: i is a string, and no whole number: leave id out, and rows are numbered"}},
		"one id twice": {"q,a,b,c,k,i\nQ,x,y,z,A,7\nR,x,y,z,A,7\n", mapped + ",id=i",
			[]string{"x.csv:3: question id 7 is already taken by"}},
		"no list of options": {"q,o,k\nQ,x or y,A\n", "question=q,options=o,answer=k:letter",
			[]string{`x.csv:2: o is the text "x or y", want a list: in JSON, as in ["3", "4"], or a column for each option`}},
		"a right answer that is also wrong": {"q,a,b,c,k\nQ,x,y,x,\n", "question=q,options=a+b+c,answer=a",
			[]string{`x.csv:2: a "x" is two of the options`}},
		"a right answer that is missing": {"q,a,b,c,k\nQ,,y,x,\n", "question=q,options=a+b+c,answer=a",
			[]string{"x.csv:2: a is empty, and another option follows"}},
	} {
		file := write(t, "x.csv", test.content)
		_, err := dataset.Open(file, dataset.Options{Folder: t.TempDir(), Map: parsed(t, test.mapping)})
		errortest.For(t, name, err, append(test.want, file)...)
		assert.Check(t, !strings.Contains(fmt.Sprint(err), "\n"), "%s: %v", name, err)
	}
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
		"question=prompt,options=choices,answer=label":            "question=prompt,options=choices,answer=label",
		" answer = label , question = the prompt ,options=A + B":  "question=the prompt,options=A+B,answer=label",
		`question="a, b",options="x+y"+"z \" #",answer=choices.1`: `question="a, b",options="x+y"+"z \" #",answer=choices.1`,
		"answer = key:index1, question=Q # a comment":             "question=Q,answer=key:index1",
		`answer="a, b":text,cot=why,id=nr,subject=s:text`:         `answer="a, b":text,subject=s:text,id=nr,cot=why`,
	} {
		m := parsed(t, text)
		assert.Equal(t, m.String(), want)
		assert.Equal(t, parsed(t, m.String()).String(), want)
	}
	const lines = "# our exam\nquestion = prompt\n\noptions=A+B, answer=\"the, label\"  # as index\n"
	assert.Equal(t, parsed(t, lines).String(), `question=prompt,options=A+B,answer="the, label"`)
}

func TestABadMappingSaysWhatIsWrong(t *testing.T) {
	const want = "want KEY=COLUMN, as in question=prompt, and options=A+B+C; a name with a comma, a plus or a # goes " +
		"into double quotes"
	for text, want := range map[string]string{
		"prompt":       `mapping "prompt": ` + want,
		"":             "the mapping says nothing; write question=prompt and so on",
		"# nothing":    "the mapping says nothing",
		"question=":    want,
		"options=A++B": want,
		"options=A+":   want,
		`question="a`:  want,
		"question= ":   "want KEY=COLUMN",
		`question=""`:  `question: "\"\"" is no column's name`,
		"question=a,x": `mapping "x": ` + want,
		"promt=a": "mapping promt=: there is no such key; " +
			"there are question, options, answer, subject, id, cot",
		"question=a,question=b": "question is given twice",
		"options=A,options=B":   "options is given twice",
		"answer=A+B":            "mapping answer=: it takes one column, not 2; several are for options",
		"question=a\nanswr=b":   `mapping answr=: there is no such key`,
		"answer-is=letter": "mapping answer-is=: there is no such key any more: " +
			"write answer=COLUMN:index1, or :letter, :index0, :text",
		"correct=a,incorrect=b+c": "mapping correct=: there is no such key any more: " +
			"write answer=RIGHT, and that column among the options",
		"separator=tab": "mapping separator=: there is no such key any more: " +
			"save the file with commas, semicolons or tabs",
	} {
		_, err := dataset.ReadMapping(text)
		errortest.For(t, text, err, want)
		assert.Check(t, strings.Contains(fmt.Sprint(err), "mapping ") &&
			!strings.Contains(fmt.Sprint(err), "\n"), "%s: %v", text, err)
	}
}

// FuzzMapping reads arbitrary mappings: an error of one line, or one that is written as it is read.
func FuzzMapping(f *testing.F) {
	f.Add("question=prompt,options=A+B+C+D,answer=label:index1")
	f.Add(`question="a, b", options="x+y"+z # so`)
	f.Add(`answer="a, b":text,id=a:text,cot=c`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := dataset.ReadMapping(text)
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
			"3 questions of the test files left out, which have no answers: those of val are used; 1 row left out (no answer)"},
		"C-Eval without test files, an answer empty": {map[string]string{
			"dev/law_dev.csv": cEval + ",explanation\n0,D1,x,y,z,v,C,because\n",
			"val/law_val.csv": cEval + "\n0,V1,x,y,z,v,B\n1,V2,x,y,z,v,\n",
		}, "1 law V1 [x y z v] B ", "1 law D1 [x y z v] C ", "1 row left out (no answer)"},
		"GPQA": {map[string]string{"test.csv": "Record ID,Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2," +
			"Incorrect Answer 3,High-level domain,Subdomain\nrec1,Q1,yes,no,never,maybe,Physics,Optics\nrec2,Q2,yes,no,never,maybe,Physics,Optics\n"},
			"1 Physics Q1 [no never maybe yes] D rec1; 2 Physics Q2 [maybe yes no never] B rec2", "", "GPQA's columns"},
		"SuperGPQA": {map[string]string{"test.jsonl": `{"uuid":"u1","question":"Q1","options":["B","x","y"],"answer":"B",` +
			`"answer_letter":"A","discipline":"Law","field":"Law","subfield":"Civil","difficulty":"easy","is_calculation":false}` + "\n" +
			`{"uuid":"u2","question":"Q2","options":["x","y","z"],"answer":"z","answer_letter":"C","discipline":"Law"}`},
			"1 Law Q1 [B x y] A u1; 2 Law Q2 [x y z] C u2", "", "SuperGPQA's columns"},
		"ARC on the hub": {map[string]string{
			"test/ARC-Easy.jsonl": `{"id":"M1","question":"Q1","choices":{"text":["x","y"],"label":["1","2"]},` +
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
	const csv, index0 = "q,a,b,c,k\nQ,x,y,z,2\n", mapped + ":index0"
	sum := func(mapping string, namesAndContents ...string) string {
		files := map[string]string{}
		for i := 0; i < len(namesAndContents); i += 2 {
			files[namesAndContents[i]] = namesAndContents[i+1]
		}
		return mustOpen(t, folderOf(t, files), dataset.Options{Folder: t.TempDir(), Map: parsed(t, mapping)}).SHA256
	}
	const row = "question,A,B,answer\nQ,x,y,A\n"
	both := sum("", "test.jsonl", good, "validation.jsonl", good)
	law := sum("", "test/law_test.csv", row)
	for name, test := range map[string]struct {
		a, b string
		same bool
	}{
		"other names":       {sum("", "data/test-00000-of-00001.jsonl", good, "data/validation.jsonl", good), both, true},
		"other bytes":       {sum("", "test.jsonl", good+"\n", "validation.jsonl", good), both, false},
		"a missing split":   {sum("", "test.jsonl", good), both, false},
		"another subject":   {sum("", "test/math_test.csv", row), law, false},
		"in another folder": {sum("", "data/test/law.csv", row), law, true},
		"another mapping":   {sum(mapped+":index1", "test.csv", csv), sum(index0, "test.csv", csv), false},
	} {
		assert.Check(t, (test.a == test.b) == test.same, name)
	}
}
