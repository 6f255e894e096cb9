package dataset

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf16"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/tools/txtar"
	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"proctor/scripts/tests/errortest"
)

func init() { errortest.SpellFlags() }

func TestFilesAreFoundWhereSetsHaveThem(t *testing.T) {
	for name, test := range map[string]struct {
		files []string
		want  string // split subject path; and so on
	}{
		"a file a split": {[]string{"test.csv", "dev.csv", "README.md", "test", "law/test.csv"},
			"dev  dev.csv; test  test.csv"},
		"in data": {[]string{"data/test.csv", "README.md"}, "test  data/test.csv"},
		"shards": {[]string{"test-00001-of-00002.parquet", "test-00000-of-00002.parquet"},
			"test  test-00000-of-00002.parquet; test  test-00001-of-00002.parquet"},
		"a file a subject": {[]string{"val/a_b_val.csv", "dev/a_b.csv", "dev/law_dev.csv"},
			"dev a b dev/a_b.csv; dev law dev/law_dev.csv; val a b val/a_b_val.csv"},
		"beside a file for shots": {[]string{"validation.jsonl", "test/law.csv"},
			"test law test/law.csv; validation  validation.jsonl"},
	} {
		in := fstest.MapFS{}
		for _, file := range test.files {
			in[file] = &fstest.MapFile{}
		}
		found, err := find(in, "set")
		assert.NilError(t, err, name)
		var all []string
		for _, split := range slices.Sorted(maps.Keys(found)) {
			for _, f := range found[split] {
				all = append(all, fmt.Sprint(split, " ", f.subject, " ", f.path))
			}
		}
		assert.Equal(t, strings.Join(all, "; "), test.want, name)
	}
	_, err := find(fstest.MapFS{"law/test.csv": &fstest.MapFile{}}, "set")
	errortest.Says(t, err, "set: no test file in the folder", "data folder/questions.csv")
}

// The rows of parquet files as their writers make them; those of the other programs stand in testdata/ordinary.txtar.
type (
	pandasRow struct { // to_parquet: the index is a column, a column with holes is of floats, lists have an item
		Question *string   `parquet:"question,optional"`
		Options  []*string `parquet:"options,list,optional" parquet-element:",optional"`
		Answer   *float64  `parquet:"answer,optional"`
		Index    int64     `parquet:"__index_level_0__"`
	}
	polarsRow struct { // write_parquet: every column may be null, small integers stay small
		Question *string `parquet:"question,optional"`
		Choices  *struct {
			Text  []string `parquet:"text,list"`
			Label []string `parquet:"label,list"`
		} `parquet:"choices,optional"`
		AnswerKey *string `parquet:"answerKey,optional"`
	}
	datasetsRow struct { // to_parquet: a ClassLabel is its index
		Question string   `parquet:"question"`
		Subject  string   `parquet:"subject"`
		Choices  []string `parquet:"choices,list"`
		Answer   int64    `parquet:"answer"`
	}
	structRow struct { // a dictionary in Python becomes a struct
		Question string `parquet:"question"`
		Options  struct {
			A, B string
			C    *string `parquet:"C,optional"`
		} `parquet:"options"`
		Answer string `parquet:"answer"`
	}
)

func parquetFiles(t *testing.T) map[string][]byte {
	text := func(s string) *string { return &s }
	number := func(n float64) *float64 { return &n }
	choices := func(texts ...string) *struct {
		Text  []string `parquet:"text,list"`
		Label []string `parquet:"label,list"`
	} {
		return &struct {
			Text  []string `parquet:"text,list"`
			Label []string `parquet:"label,list"`
		}{texts, []string{"1", "2", "3"}[:len(texts)]}
	}
	withOptions := func(q, a, b string, c *string, answer string) (r structRow) {
		r.Question, r.Answer, r.Options.A, r.Options.B, r.Options.C = q, answer, a, b, c
		return r
	}
	return map[string][]byte{
		"pandas.parquet": written(t, []pandasRow{{text("One and one?"), []*string{text("2"), text("3")}, number(0), 0},
			{text("Two and one?"), []*string{text("2"), text("3"), nil}, number(1), 1}}),
		"pandas-hole.parquet": written(t, []pandasRow{{text("One and one?"), []*string{text("2"), text("3")}, number(0), 0},
			{text("Two and one?"), []*string{text("2"), text("3")}, nil, 1},
			{text("Two and two?"), []*string{text("4"), text("3")}, number(0), 2}}),
		"polars.parquet": written(t, []polarsRow{{text("One and one?"), choices("2", "3"), text("1")},
			{text("Two and one?"), choices("2", "4", "3"), text("3")}}),
		"datasets.parquet": written(t, []datasetsRow{{"One and one?", "sums", []string{"2", "3"}, 0},
			{"Two and one?", "sums", []string{"2", "3"}, 1}}),
		"struct.parquet": written(t, []structRow{withOptions("One and one?", "2", "3", nil, "A"),
			withOptions("Two and one?", "2", "4", text("3"), "C")}),
	}
}

func written[T any](t *testing.T, rows []T) []byte {
	var file bytes.Buffer
	assert.NilError(t, parquet.Write(&file, rows))
	return file.Bytes()
}

// TestOrdinaryFilesAreReadOrRefused opens small files as people's programs write them. Each stands in
// testdata/ordinary.txtar: -- NAME [as WHAT] [--map MAPPING] -- and, below, what is read or the line that refuses it.
// -update writes the latter.
func TestOrdinaryFilesAreReadOrRefused(t *testing.T) {
	table, err := txtar.ParseFile("testdata/ordinary.txtar")
	assert.NilError(t, err)
	at, err := filepath.Abs("testdata/ordinary.txtar")
	assert.NilError(t, err)
	parquets, folder := parquetFiles(t), t.TempDir()
	t.Chdir(folder)
	files := 0
	var now []txtar.File
	for i, input := range table.Files {
		if input.Name == "reads" || input.Name == "refused" {
			continue
		}
		heading, mapping, _ := strings.Cut(input.Name, " --map ")
		name, as, _ := strings.Cut(heading, " as ")
		data := input.Data
		switch as {
		case "UTF-8 with a mark":
			data = append([]byte("\ufeff"), data...)
		case "UTF-16":
			data = []byte("\xff\xfe")
			for _, unit := range utf16.Encode([]rune(string(input.Data))) {
				data = append(data, byte(unit), byte(unit>>8))
			}
		case "Windows-1252":
			data = nil
			for _, r := range string(input.Data) {
				data = append(data, byte(r))
			}
		case "lines that end in CR":
			data = bytes.ReplaceAll(data, []byte("\n"), []byte("\r"))
		case "lines that end in CRLF":
			data = bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
		case "parquet":
			data = parquets[name]
		}
		assert.NilError(t, os.WriteFile(name, data, 0o644))
		var m Mapping
		if mapping != "" {
			m, err = ReadMapping(mapping)
			assert.NilError(t, err)
		}
		got := ""
		set, err := Open(name, Options{Folder: filepath.Join(folder, "none"), Map: m})
		if err != nil {
			got = err.Error() + "\n"
			assert.Check(t, strings.HasPrefix(got, name+": ") ||
				strings.Contains(got, ": "+name+":"), "%s: no name: %s", name, got)
			assert.Check(t, strings.Count(got, "\n") == 1, "%s: an error of several lines: %s", name, got)
		} else {
			for _, q := range set.Test {
				got += fmt.Sprintf("%d %s: %s %s *%s\n", q.ID, q.Subject, q.Text, strings.Join(q.Options, " | "),
					q.Options[q.Gold()])
			}
		}
		want := txtar.File{Name: "reads"}
		if err != nil {
			want.Name = "refused"
		}
		want.Data = []byte(got)
		now = append(now, input, want)
		files++
		if !golden.FlagUpdate() {
			assert.Assert(t, i+1 < len(table.Files), input.Name)
			assert.Equal(t, want.Name+": "+got, table.Files[i+1].Name+": "+string(table.Files[i+1].Data), input.Name)
		}
	}
	assert.Check(t, files >= 40, "%d files", files)
	if golden.FlagUpdate() {
		table.Files = now
		assert.NilError(t, os.WriteFile(at, txtar.Format(table), 0o644))
	}
}
