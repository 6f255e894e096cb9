package dataset

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"gotest.tools/v3/assert"
)

// FuzzJSONL opens arbitrary bytes as a test file: an error that names the file, or sound questions.
func FuzzJSONL(f *testing.F) {
	const row = `{"question_id":7,"question":"q","options":["a","b","N/A"],"answer":"B","answer_index":1,"category":"math"}`
	f.Add([]byte(row))
	f.Add([]byte("\ufeff" + row + "\r\n\r\n{}\n"))
	f.Add([]byte(row + "\n" + row))
	f.Add([]byte(`{"question":"q","choices":["a","b"],"answer_index":1e0}`))
	f.Add([]byte(`{"question":"\ud800","options":["a","b"],"answer":"A"}`))
	f.Add([]byte("PAR1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		openFuzzed(t, "test.jsonl", data)
	})
}

// FuzzCSV opens arbitrary bytes as a CSV file, whose columns are recognised or mapped.
func FuzzCSV(f *testing.F) {
	f.Add([]byte("question,A,B,C,answer\nq,x,y,z,2\nr,x,y,,1\n"), "")
	f.Add([]byte("\ufeffFrage;a;b;k\n\"q; \"\"r\"\"\n\";x;y;B\n"), "question=Frage,options=a+b,answer=k")
	f.Add([]byte("Question\tCorrect Answer\tIncorrect Answer 1\nq\tx\ty\n"),
		"question=Question,options=Correct Answer+Incorrect Answer 1,answer=Correct Answer")
	f.Add([]byte("q,\"[\"\"x\"\",\"\"y\"\"]\",1\n"), "question=1,options=2,answer=3")
	f.Add([]byte("question,A,B,answer\n\"q,x,y,A\n"), "answer=answer:text")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		m, err := ReadMapping(text)
		if err != nil {
			m = Mapping{}
		}
		openMapped(t, "test.csv", data, m)
	})
}

// FuzzJSONArray opens arbitrary bytes as a JSON array.
func FuzzJSONArray(f *testing.F) {
	f.Add([]byte(`[{"question":"q","choices":["a","b"],"answer":1},` + "\n" + `{"question":"r","choices":["a","b"],"answer":0}]`))
	f.Add([]byte(`[{"id":"x","question":"q","choices":{"text":["a","b"],"label":["1","2"]},"answerKey":"2"}]`))
	f.Add([]byte(`[{"question":"\udc00","options":["a",{}],"answer":[]}, null, [], 1`))
	f.Fuzz(func(t *testing.T, data []byte) {
		openFuzzed(t, "test.json", data)
	})
}

// ParquetRow has MMLU-Pro's columns.
type ParquetRow struct {
	QuestionID  int64    `parquet:"question_id" json:"question_id"`
	Question    string   `parquet:"question" json:"question"`
	Options     []string `parquet:"options,list" json:"options"`
	Answer      string   `parquet:"answer" json:"answer"`
	AnswerIndex int64    `parquet:"answer_index" json:"answer_index"`
	CotContent  string   `parquet:"cot_content" json:"cot_content"`
	Category    string   `parquet:"category" json:"category"`
	Src         string   `parquet:"src" json:"src"`
}

// FuzzParquetRows opens parquet files with arbitrary cells: every row is a sound question or named as bad.
func FuzzParquetRows(f *testing.F) {
	f.Add(int64(1), "q", "a\x00b\x00c", "A", int64(0), "", "math")
	f.Add(int64(-1), " ", "a", "K", int64(-9), "cot", "")
	f.Add(int64(1), "caf\xe9", "N/A\x00N/A", "", int64(1), "", "x")
	f.Add(int64(0), "q", strings.Repeat("o\x00", 12), "J", int64(9), "", "x")
	f.Fuzz(func(t *testing.T, id int64, question, options, answer string, index int64, cot, category string) {
		row := ParquetRow{id, question, strings.Split(options, "\x00"), answer, index, cot, category, ""}
		var file bytes.Buffer
		assert.NilError(t, parquet.Write(&file, []ParquetRow{row}))
		set, err := openFuzzed(t, "test.parquet", file.Bytes())
		if err == nil && len(set.Test) != 1 {
			t.Errorf("one row became %d questions", len(set.Test))
		}
		if err == nil && len(set.Test) == 1 && set.Test[0].Text != question {
			t.Errorf("question %q became %q", question, set.Test[0].Text)
		}
	})
}

// FuzzParquetFile opens damaged parquet files.
func FuzzParquetFile(f *testing.F) {
	var file bytes.Buffer
	assert.NilError(f, parquet.Write(&file, []ParquetRow{{1, "q", []string{"a", "b"}, "A", 0, "", "math", ""}}))
	f.Add(file.Bytes())
	f.Add(file.Bytes()[:file.Len()/2])
	f.Add([]byte("PAR1PAR1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		openFuzzed(t, "test.parquet", data)
	})
}

// openFuzzed reads the bytes as a test file, from memory: a fuzzer's time is for parsing.
func openFuzzed(t *testing.T, name string, data []byte) (*Set, error) {
	return openMapped(t, name, data, Mapping{})
}

func openMapped(t *testing.T, name string, data []byte, m Mapping) (*Set, error) {
	folder := fstest.MapFS{name: &fstest.MapFile{Data: data}}
	found, err := find(folder, "folder")
	assert.NilError(t, err)
	set, _, err := readSet("fuzzed", "folder", found, Options{Map: m})
	if err != nil {
		assert.Check(t, strings.Contains(err.Error(), filepath.Join("folder", name)), "error %v does not name the file", err)
		return nil, err
	}
	for _, q := range set.Test {
		gold := q.Gold()
		if len(q.Options) < 2 || len(q.Options) > MaxOptions || gold < 0 || gold >= len(q.Options) ||
			strings.TrimSpace(q.Text) == "" || q.Subject == "" || !utf8.ValidString(q.Text) {
			t.Errorf("unsound question %+v", q)
		}
		slim := q.WithoutFiller()
		assert.Check(t, slim.Options[slim.Gold()] == q.Options[gold], "dropping filler loses the gold option of %+v", q)
	}
	return set, nil
}
