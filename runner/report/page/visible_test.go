package page

import (
	"encoding/json"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// hostile has one character of every kind that a terminal obeys.
const hostile = "red \x1b[31m, bell \a, back \b, \r over, C1 \u009b31m, delete \x7f, " +
	"left \u202e thgir \u2066, mark \u200f, line \u2028, tag \U000e0041"

func TestVisibleTextIsObeyedByNoTerminal(t *testing.T) {
	got := Visible(hostile)
	i := strings.IndexFunc(got, obeyed)
	assert.Check(t, i < 0, "%q", got)
	for _, want := range []string{`\u001b[31m`, `\u0007`, `\u000d over`, `\u009b31m`, `\u007f`, `\u202e thgir`, `\udb40\udc41`} {
		assert.Check(t, strings.Contains(got, want), "%s is not shown in %s", want, got)
	}
	for _, same := range []string{"", "a\tb\n", "é 日本 👩‍🔬 ──"} {
		assert.Check(t, Visible(same) == same, "%q is changed", same)
	}
	if got := Visible("a\x9bb"); strings.ContainsRune(got, 0x9b) || got == "a\x9bb" {
		t.Errorf("a byte that is no UTF-8 is let through: %q", got)
	}
}

func TestJSONMeansTheSameOnATerminal(t *testing.T) {
	document, err := json.Marshal(hostile)
	assert.NilError(t, err)
	var shown strings.Builder
	screen := Screen(&shown)
	for _, b := range document { // characters come in pieces
		_, err := screen.Write([]byte{b})
		assert.NilError(t, err)
	}
	i := strings.IndexFunc(shown.String(), obeyed)
	assert.Check(t, i < 0, "%q", shown.String())
	var got string
	err = json.Unmarshal([]byte(shown.String()), &got)
	assert.Check(t, err == nil && got == hostile, "%q, %v", got, err)
}

func TestATextIsShownAsItIsWithItsPartMarked(t *testing.T) {
	p := Page{Title: "Title"}
	p.Add(Section{Title: "Completion", Text: &Text{Text: "\nOne ``` two\n  the answer is (C).  \x1b[7m\n", Start: 19, End: 31}})
	for name, c := range map[string]struct {
		write func(*strings.Builder) error
		want  string
	}{
		"text": {func(b *strings.Builder) error { return p.Text(b) },
			"Title\n\nCompletion\n  One ``` two\n    the ⟦answer is (C⟧).  \\u001b[7m\n"},
		"coloured": {func(b *strings.Builder) error { return p.Coloured(b) },
			"Title\n\nCompletion\n  One ``` two\n    the \x1b[7manswer is (C\x1b[27m).  \\u001b[7m\n"},
		"markdown": {func(b *strings.Builder) error { return p.Markdown(b) },
			"# Title\n\n## Completion\n\n````\nOne ``` two\n  the ⟦answer is (C⟧).  \\u001b[7m\n````\n"},
	} {
		var got strings.Builder
		err := c.write(&got)
		assert.Check(t, err == nil && got.String() == c.want, "%s: %q, %v; want %q", name, got.String(), err, c.want)
	}
}

func TestNoTwoLinesAreEmptyOneAfterAnother(t *testing.T) {
	p := Page{Title: "Title", Footnotes: []string{"foot"}}
	grid := &Grid{Head: []string{"a", "b"}}
	grid.Add("1", "2")
	p.Add(Section{Title: "Notes alone", Notes: []string{"one", "two"}}, Section{Notes: []string{"untitled"}},
		Section{Title: "All", Warnings: []string{"w"}, Table: grid, Notes: []string{"n"}}, Section{Title: "Text", Text: &Text{Text: "a\n\n\nb"}})
	for name, write := range map[string]func(*strings.Builder) error{
		"text": func(b *strings.Builder) error { return p.Text(b) }, "markdown": func(b *strings.Builder) error { return p.Markdown(b) },
	} {
		var out strings.Builder
		assert.NilError(t, write(&out))
		before, text, _ := strings.Cut(out.String(), "a\n")
		assert.Check(t, !strings.Contains(before, "\n\n\n") && !strings.HasSuffix(out.String(), "\n\n") && strings.Contains(text, "b\n"),
			"%s:\n%s", name, out.String())
	}
}
