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

// itemTexts are what the browser loads of an item when it shows it.
type itemTexts struct {
	html.ItemPrompt
	html.Written
	Thinking int             `json:"thinking,omitempty"` // UTF-16 units at the text's beginning, to be folded
	Letters  []string        `json:"letters"`            // by rule set; empty if it found none
	Rules    []string        `json:"rules"`              // that found them, by rule set
	Reused   int             `json:"reused,omitempty"`   // tokens of the prompt
	Timing   backends.Timing `json:"timing"`
}

// AddBrowser adds a browser of a marked run's items to a document: the items with filters, and for each its prompt, the model's text, and
// the marks of all rule sets. path is the run's journal.
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

// texts reads the model's text again.
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

// mostThinking is how many bytes of an item's thinking a page has. Longer thinking keeps its two ends only, since browsers can't load all
// that thinking models write. Thinking of more than folded bytes is shown on request.
const mostThinking, folded = 8 << 10, 2 << 10

// A written text is a completion as a page shows it.
type written struct {
	text     string
	thinking int // bytes of thinking at its beginning, if they are to be folded
	left     int // bytes of thinking that were left out before the answer
}

// writtenOf shortens and folds a completion's thinking, up to the place of its answer.
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
