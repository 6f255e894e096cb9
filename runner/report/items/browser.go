package items

import (
	"embed"
	"fmt"
	"strings"
	"unicode/utf8"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/results"
	"proctor/runner/mark/timing"
	"proctor/runner/report/html"
)

//go:embed browser
var browser embed.FS

// itemTexts are what the browser shows of one item besides its row.
type itemTexts struct {
	html.ItemPrompt
	html.Written
	Thinking int             `json:"thinking,omitempty"` // UTF-16 units of the text, from its beginning, to be folded
	Letters  []string        `json:"letters"`            // that were found, by rule set
	Rules    []string        `json:"rules"`              // that found them
	Reused   int             `json:"reused,omitempty"`   // tokens of the prompt
	Timing   backends.Timing `json:"timing"`
}

// AddBrowser adds a browser of a marked run's items, whose journal is at path, to a document: the items with filters, and of each
// one what was asked, what the model wrote, and what the rule sets make of it.
func AddBrowser(d *html.Document, marked *results.Run, path string) error {
	reader, err := journal.Open(path)
	if err != nil {
		return err
	}
	defer reader.Close()
	r := &run{marked, path, reader, timing.ClockOf(marked), nil}
	var ruleSets []string
	for _, set := range r.RuleSets {
		ruleSets = append(ruleSets, set.Name)
	}
	return html.Browse(d, html.Browser[*results.Item]{
		ID: "items", Title: "Items", Files: browser, Style: "items.css", Modules: []string{"item.js", "items.js", "start.js"},
		Header: &r.Header, Names: ruleSets, Items: r.Items,
		Row: func(it *results.Item) any { return r.row(it, results.Kept{}) }, Texts: r.texts,
	})
}

// texts reads what the model wrote again.
func (r *run) texts(it *results.Item) (any, error) {
	record, err := r.record(it)
	if err != nil {
		return nil, err
	}
	at := it.Marks[0].At
	if !it.Marks[0].Answered() {
		at = grade.Span{Start: len(record.Text), End: len(record.Text)}
	}
	w := writtenOf(&r.Header, record.Text, at.Start)
	t := itemTexts{
		ItemPrompt: html.ItemPromptOf(&record), Written: html.WrittenOf(w.text, at.Start-w.left, at.End-w.left, record.Error),
		Thinking: html.Units(w.text[:w.thinking]), Reused: it.Usage.ReusedTokens, Timing: it.Timing,
	}
	for _, m := range it.Marks {
		t.Letters, t.Rules = append(t.Letters, m.Letter), append(t.Rules, m.Rule)
	}
	return t, nil
}

// mostThinking is how many bytes of an item's thinking a page has; of what is longer it has the two ends, since a page with all of
// what thinking models write would be larger than a browser takes. folded is from how many on it is shown only when asked for.
const mostThinking, folded = 8 << 10, 2 << 10

// A written text is what a page shows of a completion.
type written struct {
	text     string
	thinking int // bytes that it begins with and that are thinking, where these are to be folded
	left     int // bytes of thinking that were left out before the answer
}

// writtenOf shortens and folds the thinking that a completion begins with, up to where its answer was found.
func writtenOf(h *journal.Header, text string, answer int) written {
	thought := len(grade.Thinking(h, text))
	if !h.Strip || thought < folded || thought > answer || text[:thought] != grade.Thinking(h, text) {
		return written{text: text}
	}
	if thought <= mostThinking {
		return written{text: text, thinking: thought}
	}
	from, to := mostThinking/2, thought-mostThinking/2
	for !utf8.RuneStart(text[from]) {
		from--
	}
	for !utf8.RuneStart(text[to]) {
		to++
	}
	gap := fmt.Sprintf("\n\n[… %s of thinking are left out here: `proctor show RUN ID` has them …]\n\n", format.Several(to-from, "byte"))
	short := strings.Join([]string{text[:from], gap, text[to:]}, "")
	left := to - from - len(gap)
	return written{text: short, thinking: thought - left, left: left}
}
