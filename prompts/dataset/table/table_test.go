package table_test

import (
	"bytes"
	"fmt"
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
		format, columns string
		rows            string // number@line column=value…
	}{
		"JSON Lines, nested": {`{"q":"a","c":{"text":["x","y"],"n":2}}` + "\n\n" + `{"q":"b"}`,
			"JSON Lines", "c.n c.text q", `1@1 c.n=2 c.text=[x y] q=a; 3@3 c.n=<nil> c.text=<nil> q=b`},
		"a JSON array over lines": {"[\n{\"q\":\n\"a\"},\n\n{\"q\":\"b\"}]", "JSON", "q", "1@2 q=a; 2@5 q=b"},
		"a JSON array with a list of objects": {`[{"q":"a","c":[{"label":"A","text":"x"},{"label":"B"}]}]`, "JSON",
			"c.label c.text q", "1@1 c.label=[A B] c.text=[x <nil>] q=a"},
		"an empty JSON array": {"[]", "JSON", "", ""},
		"CSV after a byte order mark": {"\ufeffq,a\r\n\"x, \"\"y\"\"\nz\",1\n,2\n", "CSV, separated by commas", "q a",
			"1@2 q=x, \"y\"\nz a=1; 2@4 q= a=2"},
		"semicolons":                     {"q;a\n1,5;b\n", "CSV, separated by semicolons", "q a", "1@2 q=1,5 a=b"},
		"tabs":                           {"q\ta\nx\ty\n", "CSV, separated by tabs", "q a", "1@2 q=x a=y"},
		"a line break in a list of tabs": {"q\ta\n\"x\ny\"\tz\n", "CSV, separated by tabs", "q a", "1@2 q=x\ny a=z"},
		"carriage returns alone":         {"q,a\r1,2\r3,4", "CSV, separated by commas", "q a", "1@2 q=1 a=2; 2@3 q=3 a=4"},
		"objects in objects": {`{"q":"a","c":{"A":"x","B":{"t":1}}}`, "JSON Lines", "c.A c.B.t q",
			"1@1 c.A=x c.B.t=1 q=a"},
		"a column without a name":  {",q\n0,x", "CSV, separated by commas", "1 q", "1@2 1=0 q=x"},
		"a name with a dot in CSV": {"c.text,q\nx,y", "CSV, separated by commas", "c.text q", "1@2 c.text=x q=y"},
	} {
		opened, err := table.Read("", []byte(test.data))
		assert.NilError(t, err, name)
		assert.Check(t, opened.Format == test.format && strings.Join(opened.Columns, " ") == test.columns, "%s: %+v", name, opened)
		assert.Equal(t, rows(opened), test.rows, name)
	}
}

func TestWhatIsNoTableIsRefused(t *testing.T) {
	for data, want := range map[string]string{
		"":             "empty file",
		"\ufeff \n":    "empty file",
		"hello\nworld": "neither a parquet file",
		"a,b;c\n": "as many fields with commas as with semicolons: " +
			"put names that have either into quotes",
		"q,q\nx,y":   `names the column "q" twice`,
		"q,a\n\"x\n": `line 2, column 4: extraneous or missing " in quoted-field`,
		"q,a\nx\"y,z\n": `line 2, column 2: bare " in non-quoted-field; ` +
			`a field with a quote in it goes in quotes`,
		"[{\"q\":1}\n":              "does not end; was the file cut off?",
		"[{\"q\":1},\n\n{\"q\" 2}]": "malformed JSON in line 3",
		"[{\"q\":1}]\n\n]":          "line 3: more follows the JSON array",
		"{\n\"q\":1}":               "a JSON object over several lines; write one object a line",
		"{\n\"q\":1}\n{\n\"q\":2}":  "a JSON object over several lines; write one object a line",
		`{"q":{"0":"a"},"a":{"0":"A"}}`: `one JSON object of columns or of rows; write one object a question: in pandas ` +
			`with orient="records"`,
		"q,a\nx,\xe9\n":                 "line 2: text is not UTF-8; save the file as UTF-8",
		"\xff\xfeq\x00":                 "UTF-16 text; save it as UTF-8",
		"PK\x03\x04":                    "a spreadsheet; unpack it, or save it as CSV",
		"\x1f\x8b\x08":                  "gzip",
		"PAR1 and so on":                "does not end in PAR1; was it cut off?",
		"PAR1\xff\xff\xff\x7fPAR1":      "its footer claims 2147483647 bytes of a file of 12",
		"PAR1\x15\x15\x04\x00\x00\x00P": "not a readable parquet file",
	} {
		_, err := table.Read("", []byte(data))
		errortest.For(t, data, err, want)
	}
}

func TestBadRowsSayWhy(t *testing.T) {
	for line, want := range map[string]string{
		`{"q":`:                       "malformed JSON",
		`{"q":1} {"q":2}`:             "malformed JSON: more follows the object",
		`[1]`:                         `"[1]" is no JSON object`,
		`null`:                        `"null" is no JSON object`,
		`{"q":"\ud83d x"}`:            `\ud83d at byte 7 is half of a character (a lone surrogate)`,
		`{"q":"\udcab"}`:              `\udcab at byte 7 is half`,
		`{"q":"\ud83d\ud83d\ude00"}`:  `\ud83d at byte 7 is half`,
		`{"q":"\ud83d\ude00\\ud83d"}`: "",
		`{"q":"\\\ud83d\u0041"}`:      `\ud83d at byte 9 is half`,
		`{"\uD83D":1}`:                `\uD83D at byte 3 is half`,
	} {
		opened, err := table.Read("", []byte("{}\n"+line))
		assert.NilError(t, err)
		last := opened.Rows[1]
		assert.Check(t, last.Line == 2 && strings.Contains(last.Bad, want) && (want != "" || last.Bad == ""), "%s: %+v", line, last)
	}
	opened, err := table.Read("", []byte("q,a\nx,y,z\n\"v\n\",w\nu\n"))
	assert.NilError(t, err)
	var bad []string
	for _, r := range opened.Rows {
		bad = append(bad, fmt.Sprint(r.Line, " ", r.Bad))
	}
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
		}{{"a", []*string{&x, nil}}, {"b", nil}}), "c q", "1@1 c=[x <nil>] q=a; 2@2 c=[] q=b"},
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
		opened, err := table.Read("", test.data)
		assert.NilError(t, err, name)
		assert.Equal(t, strings.Join(opened.Columns, " "), test.columns, name)
		assert.Equal(t, rows(opened), test.want, name)
	}
}

func rows(opened *table.Table) string {
	var all []string
	for _, r := range opened.Rows {
		line := fmt.Sprintf("%d@%d", r.Number, r.Line)
		for _, column := range opened.Columns {
			line += fmt.Sprintf(" %s=%v", column, r.Cells[column])
		}
		all = append(all, line+r.Bad)
	}
	return strings.Join(all, "; ")
}

func parquetOf[T any](t *testing.T, rows []T) []byte {
	t.Helper()
	var file bytes.Buffer
	assert.NilError(t, parquet.Write(&file, rows))
	return file.Bytes()
}
