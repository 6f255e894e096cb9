package page

import (
	"testing"

	"proctor/scripts/tests/errortest"
)

func TestAFilesNameSaysItsFormat(t *testing.T) {
	formats := append(FormatsOf(func(p Page) Page { return p }), Format[Page]{Name: "csv", Ext: ".csv"})
	for _, test := range []struct{ name, path, want string }{
		{"", "", "text"}, {"", "q4", "text"}, {"", "q4.txt", "text"}, {"", "runs/q4.md", "markdown"}, {"", "q4.json", "json"},
		{"", "q4.csv", "csv"}, {"json", "q4.csv", "json"}, {"text", "q4.html", "text"},
		{"", "a.b/q4", "text"},
	} {
		if got, err := formats.Of(test.name, test.path); err != nil || got.Name != test.want {
			t.Errorf("--format %q -o %q: %s, %v; want %s", test.name, test.path, got.Name, err, test.want)
		}
	}
	for _, test := range []struct{ name, path, want string }{
		{"", "q4.html", "q4.html: there is no format for .html: let the file's name end in .txt, .md, .json, .csv, or give format"},
		{"html", "q4.html", `there is no format "html"`},
	} {
		_, err := formats.Of(test.name, test.path)
		errortest.For(t, test, err, test.want)
	}
}
