package dataset_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"gotest.tools/v3/assert"

	"proctor/prompts/dataset"
	"proctor/scripts/tests/errortest"
)

const good = `{"question_id":7,"question":"2 + 2?","options":["3","4","5"],"answer":"B","answer_index":1,` +
	`"cot_content":"","category":"math","src":"me"}`

func TestOpenReadsBothSchemas(t *testing.T) {
	const general = dataset.DefaultSubject
	for _, test := range map[string]struct {
		line string
		want dataset.Question
	}{
		"MMLU-Pro's": {good, dataset.Question{ID: 7, Subject: "math", Options: []string{"3", "4", "5"}, Src: "me", Row: 1}},
		"plain, with choices and an index": {`{"question":"2 + 2?","choices":["3","4"],"answer_index":2}`,
			dataset.Question{ID: 1, Subject: general, Options: []string{"3", "4"}, Row: 1}},
		"plain, with options, a letter and a subject": {`{"question":"2 + 2?","options":["3","4"],"answer":"B","subject":"sums"}`,
			dataset.Question{ID: 1, Subject: "sums", Options: []string{"3", "4"}, Row: 1}},
		"a list that is filled up with empty options": {`{"question":"2 + 2?","options":["3"," 4","N/A",""," "],"answer":"B"}`,
			dataset.Question{ID: 1, Subject: general, Options: []string{"3", " 4", "N/A"}, Row: 1}},
		"a subject with spaces around it": {
			`{"question":"2 + 2?","options":["3","4"],"answer":"B","subject":" sums\t"}`,
			dataset.Question{ID: 1, Subject: "sums", Options: []string{"3", "4"}, Row: 1}},
		"after a byte order mark, blank lines and with CRLF": {
			"\ufeff\r\n\r\n" + `{"question":"2 + 2?","options":["3","4"],"answer":"B"}` + "\r\n",
			dataset.Question{ID: 3, Subject: general, Options: []string{"3", "4"}, Row: 3}},
	} {
		test.want.Text, test.want.Answer, test.want.AnswerIndex = "2 + 2?", "B", 1
		set := openFile(t, write(t, "sums.jsonl", test.line))
		assert.Equal(t, set.Name, "sums")
		assert.DeepEqual(t, set.Test, []dataset.Question{test.want})
	}
}

func TestOpenNamesBadRows(t *testing.T) {
	for name, test := range map[string]struct{ line, want string }{
		"no options":               {`{"question":"q","answer":"A"}`, "no options"},
		"an empty list of options": {`{"question":"q","options":[],"answer":"A"}`, "no options"},
		"one option":               {`{"question":"q","options":["a"],"answer":"A"}`, "only one option"},
		"27 options":               {`{"question":"q","options":["a"` + strings.Repeat(`,"b"`, 26) + `],"answer":"A"}`, "27 options, at most 26"},
		"an empty question":        {`{"question":"  ","options":["a","b"],"answer":"A"}`, "empty question"},
		"a gold letter too far":    {`{"question":"q","options":["a","b"],"answer":"C"}`, `answer "C" is not one of A–B`},
		"a gold that is no letter": {`{"question":"q","options":["a","b"],"answer":"AB"}`, `answer "AB"`},
		"an empty gold":            {`{"question":"q","options":["a","b"],"answer":""}`, `answer is nothing, want a letter`},
		"no gold":                  {`{"question":"q","options":["a","b"]}`, "answer is nothing, want a letter"},
		"a number as answer":       {`{"question":"q","options":["a","b"],"answer":1}`, `answer "1" is not one of A–B`},
		"true as answer": {`{"question":"q","options":["a","b"],"answer":true}`,
			"answer is true, want a letter, an index or an option's text"},
		"a string as options": {`{"question":"q","options":"a","answer":"A"}`,
			`options is the text "a", want a list: in JSON`},
		"text behind a list": {`{"question":"q","options":"[\"a\",\"b\"] or so","answer":"A"}`,
			`options is the text "[\"a\",\"b\"] or so", want a list`},
		"an empty option before another": {`{"question":"q","options":["a"," ","","d"],"answer":"A"}`,
			"option 2 of options is empty, and another option follows: write it, or take it out"},
		"an empty gold option": {`{"question":"q","options":["a","b",""],"answer":"C"}`,
			`answer "C" is not one of A–B (1 empty option at the end left out)`},
		"one option that says something": {`{"question":"q","options":["a",""],"answer":"A"}`, "only one option"},
		"malformed JSON":                 {`{"question":`, "malformed JSON"},
	} {
		two, three := strings.Replace(good, "7", "8", 1), strings.Replace(good, "7", "9", 1)
		file := write(t, "test.jsonl", strings.Join([]string{good, two, three, test.line, ""}, "\n"))
		_, err := dataset.Open(file, dataset.Options{Folder: t.TempDir()})
		bad, ok := errors.AsType[*dataset.BadRowsError](err)
		assert.Assert(t, ok && len(bad.Rows) == 1 && bad.Rows[0].Row == 4, "%s: %v, want a bad row", name, err)
		errortest.For(t, name, err, file+":4: ", test.want, "mend the file")
	}
}

func TestBadRowsErrorNamesTheFirstFew(t *testing.T) {
	file := write(t, "test.jsonl", good+strings.Repeat("\n{}", 24))
	_, err := dataset.Open(file, dataset.Options{Folder: t.TempDir()})
	errortest.Says(t, err, "24 bad rows", "and 4 more")
	assert.Check(t, !strings.Contains(fmt.Sprint(err), ":23:"), "%v, want 20 of 24 named", err)
}

func TestASplitOfAFolderIsChosen(t *testing.T) {
	line := func(id, text string) string {
		return strings.Replace(strings.Replace(good, "7", id, 1), "2 + 2", text, 1)
	}
	multi := map[string]string{"sums/test.jsonl": line("1", "1+1"), "sums/dev.jsonl": line("2", "2+2"),
		"sums/validation.jsonl": line("3", "3+3"), "sums/train-00000-of-00002.jsonl": line("4", "4+4"),
		"sums/train-00001-of-00002.jsonl": line("5", "5+5")}
	const csv = "question,A,B,answer\n"
	beside := func(split, content string) map[string]string {
		return map[string]string{"sums/test.csv": csv + "T,x,y,A\n", "sums/" + split: content}
	}
	all := beside("dev.csv", csv+"D,x,y,B\n")
	all["sums/validation.csv"] = csv + "V,x,y,B\n"
	cEval := map[string]string{"sums/test/law_test.csv": "question,A,B,answer\nT,x,y,\n", "sums/val/law_val.csv": "question,A,B,answer\nV,x,y,A\n",
		"sums/dev/law_dev.csv": "question,A,B,answer\nD,x,y,B\n", "sums/train/law_train.csv": "question,A,B,answer\nL,x,y,B\n"}
	for name, test := range map[string]struct {
		files       map[string]string
		split, want string // name: the questions asked; those for shots
	}{
		"none named":                   {multi, "", "sums: 1+1?; 2+2?"},
		"test":                         {multi, "test", "sums: 1+1?; 2+2?"},
		"shards of train":              {multi, "train", "sums/train: 4+4? 5+5?; 2+2?"},
		"the one for shots":            {multi, "dev", "sums/dev: 2+2?; 3+3?"},
		"the other one":                {multi, "validation", "sums/validation: 3+3?; 2+2?"},
		"no test files":                {map[string]string{"sums/data/train.jsonl": good}, "train", "sums/train: 2 + 2?; "},
		"a file a subject":             {cEval, "train", "sums/train: L; D"},
		"a file a subject, none named": {cEval, "", "sums: V; D"},
		"a file a subject, the shots'": {cEval, "dev", "sums/dev: D; V"},
		"shots of dev":                 {beside("dev.csv", csv+"D,x,y,B\n"), "", "sums: T; D"},
		"shots of val":                 {beside("val.csv", csv+"V,x,y,B\n"), "", "sums: T; V"},
		"dev before validation":        {all, "", "sums: T; D"},
		"dev in another format":        {beside("dev.jsonl", good), "", "sums: T; 2 + 2?"},
		"dev in shards":                {beside("dev-00000-of-00001.csv", csv+"D,x,y,B\n"), "", "sums: T; D"},
		"no file for shots":            {beside("train.csv", csv+"D,x,y,B\n"), "", "sums: T; "},
	} {
		folder, own := filepath.Join(folderOf(t, test.files), "sums"), t.TempDir()
		set, err := dataset.Open(folder, dataset.Options{Folder: own, Split: test.split})
		assert.NilError(t, err, name)
		assert.Equal(t, set.Name+": "+textsOf(set.Test)+"; "+textsOf(set.Validation), test.want, name)
		manifest, err := dataset.Import("mine", folder,
			dataset.ImportOptions{Options: dataset.Options{Folder: own, Split: test.split}})
		assert.NilError(t, err, name)
		assert.Equal(t, manifest.SHA256, set.SHA256, name)
		imported := mustOpen(t, "mine", dataset.Options{Folder: own})
		assert.Equal(t, textsOf(imported.Test)+"; "+textsOf(imported.Validation), strings.SplitN(test.want, ": ", 2)[1], name)
	}
	sums, own := filepath.Join(folderOf(t, multi), "sums"), t.TempDir()
	_, err := dataset.Import("mine", sums, dataset.ImportOptions{Options: dataset.Options{Folder: own}})
	assert.NilError(t, err)
	for name, test := range map[string]struct{ ref, split, want string }{
		"a split that is not there": {sums, "val",
			"sums: --split val: it has no such split; it has dev, test, train, validation"},
		"no split's name": {sums, "../train",
			"--split ../train: a split is one of test, dev, validation, valid, val, train; "},
		"a file": {filepath.Join(sums, "dev.jsonl"), "train",
			"--split train chooses files of a folder, and "},
		"an imported set": {"mine", "train", "the set mine was imported with the questions of one split: "},
	} {
		_, err := dataset.Open(test.ref, dataset.Options{Folder: own, Split: test.split})
		errortest.For(t, name, err, test.want)
	}
	_, err = dataset.Import("its", filepath.Join(sums, "dev.jsonl"), dataset.ImportOptions{
		Options: dataset.Options{Folder: own, Split: "train"},
	})
	errortest.For(t, "a file to import", err, "--split train chooses files of a folder, and ")
}

// A handful of shots may leave open what their answers are, and the questions say it.
func TestShotsAreReadAsTheQuestionsAre(t *testing.T) {
	row := func(answer int) string {
		return fmt.Sprintf(`{"question":"%d?","choices":["a","b","c"],"answer":%d}`+"\n", answer, answer)
	}
	set := openFile(t, folderOf(t, map[string]string{"test.jsonl": row(0) + row(1) + row(2),
		"dev.jsonl": row(1) + row(2)}))
	assert.Equal(t, told(set.Validation), "1 general knowledge 1? [a b c] B ; 2 general knowledge 2? [a b c] C ")
}

func TestAColumnThatFewRowsDifferInIsTold(t *testing.T) {
	csv := "question,A,B,answer\n"
	for i := range 10 {
		csv += fmt.Sprintf("topic %d,x,y,A\n", i%2)
	}
	assert.DeepEqual(t, openFile(t, write(t, "quiz.csv", csv)).Splits[0].Notes,
		[]string{"question has 2 different texts in 10 rows: is it the question's column?"})
	assert.Equal(t, len(openFile(t, write(t, "quiz.csv", csv+"another,x,y,A\n")).Splits[0].Notes), 0)
}

func textsOf(questions []dataset.Question) string {
	var texts []string
	for _, q := range questions {
		texts = append(texts, q.Text)
	}
	return strings.Join(texts, " ")
}

func TestSetsWhoseFilesAreCalledAsAnyOnesAreNamedAfterTheirFolder(t *testing.T) {
	for ref, want := range map[string]string{
		"law/test.jsonl": "law/test", "math/test.jsonl": "math/test", "math/data/questions.jsonl": "math/data/questions",
		"law/data/test-00000-of-00001.jsonl": "law/data/test", "law/Validation.jsonl": "law/Validation", "law/exam.jsonl": "exam",
		"law/exam.v2.jsonl": "exam.v2", "law/v1.2/test.jsonl": "v1.2/test",
	} {
		root := folderOf(t, map[string]string{ref: good})
		assert.Equal(t, openFile(t, filepath.Join(root, ref)).Name, want)
	}
	root := folderOf(t, map[string]string{"law/data/test.jsonl": good, "v1.2/test.jsonl": good})
	for folder, want := range map[string]string{"law": "law", "law/data": "law/data", "v1.2": "v1.2"} {
		assert.Equal(t, openFile(t, filepath.Join(root, folder)).Name, want)
	}
	t.Chdir(filepath.Join(root, "law", "data"))
	assert.Equal(t, openFile(t, ".").Name, "law/data")
	assert.Equal(t, openFile(t, "test.jsonl").Name, "law/data/test")
}

func TestOpenRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		files     map[string]string
		ref, want string
	}{
		"a missing file":             {nil, "no.jsonl", "no such file, folder or imported set"},
		"a text file":                {map[string]string{"notes.txt": "hello"}, "notes.txt", "neither a parquet file"},
		"a folder without questions": {map[string]string{"readme.md": "hi"}, ".", "no test file in the folder"},
		"a folder of shots only":     {map[string]string{"validation.jsonl": good}, ".", "no test file"},
		"a split in two formats": {map[string]string{"test.jsonl": good, "test.parquet": good}, ".",
			"the files of split test are neither one, nor all its shards in one format: "},
		"a missing shard": {map[string]string{"test-00000-of-00002.jsonl": good}, ".",
			"neither one, nor all its shards"},
		"a missing first shard": {map[string]string{"test-00001-of-00002.jsonl": good}, ".",
			"neither one, nor all its shards"},
		"a file without rows": {map[string]string{"test.json": "[]"}, ".", "no rows: a file has a row for each question"},
		"the same id twice": {map[string]string{"test.jsonl": good + "\n" + good}, "test.jsonl",
			"question id 7 is already taken by"},
		"the same id twice in shards": {map[string]string{"test-00000-of-00002.jsonl": good, "test-00001-of-00002.jsonl": good}, ".",
			"already taken"},
	} {
		folder := folderOf(t, test.files)
		_, err := dataset.Open(filepath.Join(folder, test.ref), dataset.Options{Folder: t.TempDir()})
		errortest.For(t, name, err, test.want, folder)
	}
}

func TestParquetAndJSONLinesGiveTheSameQuestions(t *testing.T) {
	rows := []dataset.ParquetRow{
		{1, "Ünïcode?", []string{"yes", "no", ""}, "A", 0, "A: Let's think step by step. The answer is (A).", "words", "me"},
		{2, "2 + 2?", []string{" 4", "5"}, "A", 0, "", "math", ""},
	}
	var lines []string
	for _, r := range rows {
		line, err := json.Marshal(r)
		assert.NilError(t, err)
		lines = append(lines, string(line))
	}
	a := openFile(t, writeParquet(t, rows))
	b := openFile(t, write(t, "test.jsonl", strings.Join(lines, "\n")))
	assert.DeepEqual(t, a.Test, b.Test)
}

func TestParquetColumns(t *testing.T) {
	plain := openFile(t, writeParquet(t, []struct { // with 32-bit integers
		Question    string   `parquet:"question"`
		Choices     []string `parquet:"choices"` // a bare repeated field, as old writers make
		AnswerIndex int32    `parquet:"answer_index"`
		Subject     *string  `parquet:"subject"`
	}{{"q", []string{"a", "b"}, 2, nil}}))
	assert.Equal(t, told(plain.Test), "1 general knowledge q [a b] B ")
	for name, test := range map[string]struct{ file, want string }{
		"no options": {writeParquet(t, []struct {
			Question string `parquet:"question"`
			Answer   string `parquet:"answer"`
		}{{"q", "A"}}), `its columns, ["answer" "question"], are not recognised; say which is which: --map`},
		"no gold": {writeParquet(t, []struct {
			Question string   `parquet:"question"`
			Options  []string `parquet:"options,list"`
		}{{"q", []string{"a", "b"}}}), `its columns, ["options" "question"], are not recognised`},
		"options that are no list": {writeParquet(t, []struct {
			Question string `parquet:"question"`
			Options  string `parquet:"options"`
			Answer   string `parquet:"answer"`
		}{{"q", "a", "A"}}), `options is the text "a", want a list`},
		"an index that is no integer": {writeParquet(t, []struct {
			Question    string   `parquet:"question"`
			Options     []string `parquet:"options,list"`
			AnswerIndex float64  `parquet:"answer_index"`
		}{{"q", []string{"a", "b"}, 1.5}}), "no reading of column answer_index fits all 1 rows: "},
		"an option that is null": {writeParquet(t, []struct {
			Question string    `parquet:"question"`
			Options  []*string `parquet:"options,list" parquet-element:",optional"`
			Answer   string    `parquet:"answer"`
		}{{"q", []*string{new(string), nil, new(string)}, "A"}}), "no options"},
		"text that is not UTF-8": {writeParquet(t, []dataset.ParquetRow{{1, "caf\xe9", []string{"a", "b"}, "A", 0, "", "", ""}}),
			":1: text is not UTF-8"},
	} {
		_, err := dataset.Open(test.file, dataset.Options{Folder: t.TempDir()})
		errortest.For(t, name, err, test.want, test.file)
	}
}

func openFile(t *testing.T, ref string) *dataset.Set {
	t.Helper()
	return mustOpen(t, ref, dataset.Options{Folder: t.TempDir()})
}

func writeParquet[T any](t *testing.T, rows []T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "test.parquet")
	assert.NilError(t, parquet.WriteFile(file, rows))
	return file
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	return filepath.Join(folderOf(t, map[string]string{name: content}), name)
}

func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		file := filepath.Join(folder, name)
		assert.NilError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		assert.NilError(t, os.WriteFile(file, []byte(content), 0o644))
	}
	return folder
}

// imported is a set in a data folder of its own, which needs its mapping, and the path of its manifest.
func imported(t *testing.T) (o dataset.Options, manifest string) {
	t.Helper()
	o = dataset.Options{Folder: t.TempDir()}
	given := dataset.Options{Folder: o.Folder, Map: parsed(t, mapped+":index1")}
	file := write(t, "x.csv", "q,a,b,c,k\nQ,x,y,z,2\n")
	imports(t, given, "mine", file)
	return o, filepath.Join(o.Folder, "mine", "manifest.json")
}

// edit changes a text in a file.
func edit(t *testing.T, file, old, text string) {
	t.Helper()
	content, err := os.ReadFile(file)
	assert.Assert(t, err == nil && strings.Contains(string(content), old), "%s has no %q, %v", file, old, err)
	assert.NilError(t, os.WriteFile(file, []byte(strings.Replace(string(content), old, text, 1)), 0o644))
}

func TestAManifestsNamesOfFilesAreNotFollowed(t *testing.T) {
	o, manifest := imported(t)
	edit(t, manifest, `"test.csv"`, `"../../../etc/passwd"`)
	assert.DeepEqual(t, mustOpen(t, "mine", o).Kept(), []string{"manifest.json", "test.csv"})
}
