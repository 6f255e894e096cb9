package table_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"gotest.tools/v3/assert"

	"proctor/prompts/dataset/table"
	"proctor/scripts/tests/errortest"
)

func TestFormatsAreToldByContent(t *testing.T) {
	for name, test := range map[string]struct {
		data            string
		o               table.Options
		format, columns string
		rows            string // number@line column=value…
	}{
		"JSON Lines, nested": {`{"q":"a","c":{"text":["x","y"],"n":2}}` + "\n\n" + `{"q":"b"}`, table.Options{},
			"JSON Lines", "c.n c.text q", `1@1 c.n=2 c.text=[x y] q=a; 3@3 c.n=<nil> c.text=<nil> q=b`},
		"a JSON array over lines": {"[\n{\"q\":\n\"a\"},\n\n{\"q\":\"b\"}]", table.Options{}, "JSON", "q", "1@2 q=a; 2@5 q=b"},
		"a JSON array with a list of objects": {`[{"q":"a","c":[{"label":"A","text":"x"},{"label":"B"}]}]`, table.Options{}, "JSON",
			"c.label c.text q", "1@1 c.label=[A B] c.text=[x <nil>] q=a"},
		"an empty JSON array": {"[]", table.Options{}, "JSON", "", ""},
		"CSV after a byte order mark": {"\ufeffq,a\r\n\"x, \"\"y\"\"\nz\",1\n,2\n", table.Options{}, "CSV, separated by commas", "q a",
			"1@2 q=x, \"y\"\nz a=1; 2@4 q= a=2"},
		"semicolons":       {"q;a\n1,5;b\n", table.Options{}, "CSV, separated by semicolons", "q a", "1@2 q=1,5 a=b"},
		"tabs":             {"q\ta\nx\ty\n", table.Options{}, "CSV, separated by tabs", "q a", "1@2 q=x a=y"},
		"tabs by the name": {"q,r\ta,b\nx\ty\n", table.Options{Name: "exam.TSV"}, "CSV, separated by tabs", "q,r a,b", "1@2 q,r=x a,b=y"},
		"a separator that is said": {"q,r|a,b\nx|y\n", table.Options{Separator: '|'}, "CSV, separated by pipes", "q,r a,b",
			"1@2 q,r=x a,b=y"},
		"no header":                {"x,y\nz,w", table.Options{NoHeader: true}, "CSV, separated by commas", "1 2", "1@1 1=x 2=y; 2@2 1=z 2=w"},
		"a column without a name":  {",q\n0,x", table.Options{}, "CSV, separated by commas", "1 q", "1@2 1=0 q=x"},
		"a name with a dot in CSV": {"c.text,q\nx,y", table.Options{}, "CSV, separated by commas", "c.text q", "1@2 c.text=x q=y"},
	} {
		opened, err := table.Open([]byte(test.data), test.o)
		assert.NilError(t, err, name)
		assert.Check(t, opened.Format == test.format && strings.Join(opened.Columns, " ") == test.columns, "%s: %+v", name, opened)
		for range 2 { // rows can be gone through again
			assert.Equal(t, rows(t, opened), test.rows, name)
		}
	}
}

func TestWhatIsNoTableIsRefused(t *testing.T) {
	for data, want := range map[string]string{
		"":                              "empty file",
		"\ufeff \n":                     "empty file",
		"hello\nworld":                  "neither a parquet file",
		"a,b;c\n":                       "as many fields with commas as with semicolons; say which: separator=comma",
		"q,q\nx,y":                      `names the column "q" twice`,
		"q,a\n\"x\n":                    `line 2, column 4: extraneous or missing " in quoted-field`,
		"q,a\nx\"y,z\n":                 `line 2, column 2: bare " in non-quoted-field; a field with a quote in it goes in quotes`,
		"[{\"q\":1}\n":                  "does not end; was the file cut off?",
		"[{\"q\":1},\n\n{\"q\" 2}]":     "malformed JSON after line",
		"[{\"q\":1}]\n\n]":              "line 3: more follows the JSON array",
		"{\n\"q\":1}":                   "one JSON object over several lines; want one object a line",
		"\xff\xfeq\x00":                 "UTF-16 text; save it as UTF-8",
		"PK\x03\x04":                    "a spreadsheet; unpack it, or save it as CSV",
		"\x1f\x8b\x08":                  "gzip",
		"PAR1 and so on":                "does not end in PAR1; was it cut off?",
		"PAR1\xff\xff\xff\x7fPAR1":      "its footer claims 2147483647 bytes of a file of 12",
		"PAR1\x15\x15\x04\x00\x00\x00P": "not a readable parquet file",
	} {
		opened, err := table.Open([]byte(data), table.Options{})
		if err == nil {
			err = opened.Rows(nil, func(table.Row) bool { return true })
		}
		errortest.For(t, data, err, want)
	}
}

func TestBadRowsSayWhy(t *testing.T) {
	for line, want := range map[string]string{
		`{"q":`:                       "malformed JSON",
		`{"q":1} {"q":2}`:             "malformed JSON: more follows the object",
		`[1]`:                         "a JSON array, want an object",
		`null`:                        "a JSON null, want an object",
		`{"q":"caf` + "\xe9" + `"}`:   "text is not UTF-8",
		`{"q":"\ud83d x"}`:            `\ud83d at byte 7 is half of a character (a lone surrogate)`,
		`{"q":"\udcab"}`:              `\udcab at byte 7 is half`,
		`{"q":"\ud83d\ud83d\ude00"}`:  `\ud83d at byte 7 is half`,
		`{"q":"\ud83d\ude00\\ud83d"}`: "",
		`{"q":"\\\ud83d\u0041"}`:      `\ud83d at byte 9 is half`,
		`{"\uD83D":1}`:                `\uD83D at byte 3 is half`,
	} {
		opened, err := table.Open([]byte("{}\n"+line), table.Options{})
		assert.NilError(t, err)
		var last table.Row
		assert.NilError(t, opened.Rows(nil, func(r table.Row) bool { last = r; return true }))
		assert.Check(t, last.Line == 2 && strings.Contains(last.Bad, want) && (want != "" || last.Bad == ""), "%s: %+v", line, last)
	}
	opened, err := table.Open([]byte("q,a\nx,y,z\n\"v\n\",w\nu\n"), table.Options{})
	assert.NilError(t, err)
	var bad []string
	assert.NilError(t, opened.Rows(nil, func(r table.Row) bool { bad = append(bad, fmt.Sprint(r.Line, " ", r.Bad)); return true }))
	assert.Check(t, len(bad) == 3 && strings.HasPrefix(bad[0], "2 3 fields where the first line has 2") && bad[1] == "3 " &&
		strings.HasPrefix(bad[2], "5 1 fields"), "%q", bad)
}

func TestParquetListsAreFoundWhateverTheirLevelsAreCalled(t *testing.T) {
	type choice struct {
		Label string  `parquet:"label"`
		Text  *string `parquet:"text"`
	}
	x := "x"
	for name, test := range map[string]struct {
		data          []byte
		columns, want string
	}{
		"of texts, with an absent element": {parquetOf(t, []struct {
			Q string    `parquet:"q"`
			C []*string `parquet:"c,list" parquet-element:",optional"`
		}{{"a", []*string{&x, nil}}, {"b", nil}}), "q c", "1@1 q=a c=[x <nil>]; 2@2 q=b c=<nil>"},
		"bare": {parquetOf(t, []struct {
			C []string `parquet:"c"`
		}{{[]string{"x", ""}}}), "c", "1@1 c=[x ]"},
		"inside of a group": {parquetOf(t, []struct {
			C struct {
				Label []string `parquet:"label,list"`
				Text  []string `parquet:"text,list"`
			} `parquet:"c"`
		}{{struct {
			Label []string `parquet:"label,list"`
			Text  []string `parquet:"text,list"`
		}{[]string{"A", "B"}, []string{"x", "y"}}}}), "c.label c.text", "1@1 c.label=[A B] c.text=[x y]"},
		"of groups": {parquetOf(t, []struct {
			C []choice `parquet:"c,list"`
		}{{[]choice{{"A", &x}, {"B", nil}}}}), "c.label c.text", "1@1 c.label=[A B] c.text=[x <nil>]"},
		"and plain kinds": {parquetOf(t, []struct {
			B bool    `parquet:"b"`
			F float64 `parquet:"f"`
			I int32   `parquet:"i"`
			N *int64  `parquet:"n"`
		}{{true, 0.5, -3, nil}}), "b f i n", "1@1 b=true f=0.5 i=-3 n=<nil>"},
	} {
		opened, err := table.Open(test.data, table.Options{})
		assert.NilError(t, err, name)
		assert.Equal(t, strings.Join(opened.Columns, " "), test.columns, name)
		assert.Equal(t, rows(t, opened), test.want, name)
	}
}

// TestRowsAreStreamed holds a file of MMLU-Pro's size against what lies on the heap while its rows are gone through.
func TestRowsAreStreamed(t *testing.T) {
	type row struct {
		Question string   `parquet:"question" json:"question"`
		Options  []string `parquet:"options,list" json:"options"`
		Answer   string   `parquet:"answer" json:"answer"`
	}
	all := make([]row, 12032)
	for i := range all {
		all[i] = row{fmt.Sprintf("%d: %s", i, strings.Repeat("How many? ", 40)), []string{fmt.Sprint(i), "two", "three", "four"}, "A"}
	}
	lines, csv := &bytes.Buffer{}, bytes.NewBufferString("question,A,B,C,D,answer\n")
	encoder := json.NewEncoder(lines)
	for _, r := range all {
		assert.NilError(t, encoder.Encode(r))
		fmt.Fprintf(csv, "%s,%s,%s\n", r.Question, strings.Join(r.Options, ","), r.Answer)
	}
	array, err := json.Marshal(all)
	assert.NilError(t, err)
	for name, data := range map[string][]byte{
		"JSON Lines": lines.Bytes(), "JSON": array, "CSV": csv.Bytes(), "parquet": parquetOf(t, all),
	} {
		opened, err := table.Open(data, table.Options{})
		assert.NilError(t, err)
		before, most, seen := heap(), uint64(0), 0
		if err := opened.Rows(nil, func(table.Row) bool {
			if seen++; seen%2000 == 0 {
				most = max(most, heap())
			}
			return true
		}); err != nil || seen != len(all) {
			t.Fatalf("%s: %d rows, %v", name, seen, err)
		}
		const text = 12032 * 400
		grown := int64(most) - int64(before)
		assert.Check(t, grown <= text/2, "%s: %d bytes more on the heap while rows of %d bytes of questions are read", name, grown, text)
	}
}

func heap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func rows(t *testing.T, opened *table.Table) string {
	t.Helper()
	var all []string
	err := opened.Rows(nil, func(r table.Row) bool {
		line := fmt.Sprintf("%d@%d", r.Number, r.Line)
		for _, column := range opened.Columns {
			line += fmt.Sprintf(" %s=%v", column, r.At(column))
		}
		all = append(all, line+r.Bad)
		return true
	})
	assert.NilError(t, err)
	return strings.Join(all, "; ")
}

func parquetOf[T any](t *testing.T, rows []T) []byte {
	t.Helper()
	var file bytes.Buffer
	assert.NilError(t, parquet.Write(&file, rows))
	return file.Bytes()
}
