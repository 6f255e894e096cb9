package items

import (
	"cmp"
	"embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/results"
	"proctor/runner/mark/timing"
	"proctor/runner/report/html"
)

//go:embed browser
var browser embed.FS

// index is what the browser of items knows of all of them at once, in columns. Letters are one byte an item, "-" for none; the
// columns of numbers that name something are places in the lists of names, of which the first is that of nothing.
type index struct {
	Prefix   string              `json:"prefix"` // of all ids
	Chunk    int                 `json:"chunk"`
	IDs      []string            `json:"ids"` // without the prefix
	Question []int               `json:"question"`
	Subject  []int               `json:"subject"`
	Gold     string              `json:"gold"`
	Letters  []string            `json:"letters"` // by rule set
	Tag      []int               `json:"tag"`
	Cause    []int               `json:"cause"`
	Rule     []int               `json:"rule"` // that found the answer
	Tokens   []int               `json:"tokens"`
	Millis   []float64           `json:"ms"` // the item's part of the wall time, or the engine's time
	Subjects []string            `json:"subjects"`
	Tags     []string            `json:"tags"`
	Causes   []string            `json:"causes"`
	Rules    []string            `json:"rules"`
	RuleSets []string            `json:"rule_sets"`
	About    map[string][]string `json:"explained"` // tags and causes: in words, what they mean, what to do
}

// itemTexts are what the browser shows of one item. Offsets count UTF-16 units, as browsers do.
type itemTexts struct {
	Prompt   *string            `json:"prompt,omitempty"` // after the subject's preamble
	Question string             `json:"question,omitempty"`
	Options  []string           `json:"options,omitempty"`
	Text     string             `json:"text"`
	Thinking int                `json:"thinking,omitempty"` // of the text, from its beginning, to be folded
	Start    *int               `json:"start,omitempty"`
	End      *int               `json:"end,omitempty"`
	Error    string             `json:"error,omitempty"`
	Rules    []string           `json:"rules"` // that found the answer, by rule set
	Finish   string             `json:"finish"`
	Attempt  int                `json:"attempt"`
	Server   string             `json:"server,omitempty"`
	Usage    map[string]int     `json:"usage,omitempty"`
	Seconds  map[string]float64 `json:"seconds,omitempty"`
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
	texts, err := html.Chunks(r.Items, func(it *results.Item) (any, error) {
		record, err := r.record(it)
		if err != nil {
			return nil, err
		}
		return r.textsOf(it, &record), nil
	})
	if err != nil {
		return err
	}
	return d.Browse(html.Browser{
		ID: "items", Title: "Items", Thing: "item", Files: browser, Style: "items.css",
		Modules: []string{"item.js", "items.js", "start.js"}, Index: r.index(), Preambles: r.Header.Preambles, Texts: texts,
	})
}

func (r *run) index() index {
	x := index{Prefix: r.Header.Task + "/", Chunk: html.PerChunk}
	var subjects, tags, causes, rules html.Names
	if slices.ContainsFunc(r.Items, func(it *results.Item) bool { return !strings.HasPrefix(it.ID, x.Prefix) }) {
		x.Prefix = ""
	}
	for _, it := range r.Items {
		m := &it.Marks[0]
		x.IDs = append(x.IDs, strings.TrimPrefix(it.ID, x.Prefix))
		x.Question = append(x.Question, it.QuestionID)
		x.Subject = append(x.Subject, subjects.Number(it.Subject))
		x.Tag = append(x.Tag, tags.Number(string(m.Tag)))
		x.Cause = append(x.Cause, causes.Number(string(m.Cause)))
		x.Rule = append(x.Rule, rules.Number(m.Rule))
		x.Tokens = append(x.Tokens, it.Usage.OutputTokens)
		seconds, _ := r.clock(it)
		x.Millis = append(x.Millis, millis(seconds))
	}
	x.Gold = r.letters(func(it *results.Item) string { return it.Gold })
	for k, set := range r.RuleSets {
		x.RuleSets = append(x.RuleSets, set.Name)
		x.Letters = append(x.Letters, r.letters(func(it *results.Item) string { return it.Marks[k].Letter }))
	}
	x.Subjects, x.Tags, x.Causes, x.Rules = subjects.All(), tags.All(), causes.All(), rules.All()
	x.Tags[0] = "right"
	x.About = grade.ExplainAll(slices.Concat(x.Tags[1:], x.Causes[1:]))
	return x
}

// millis is a time in milliseconds, no finer than anybody reads.
func millis(seconds float64) float64 { return math.Round(seconds*1e4) / 10 }

func (r *run) letters(of func(*results.Item) string) string {
	all := make([]byte, len(r.Items))
	for i, it := range r.Items {
		all[i] = cmp.Or(of(it), "-")[0]
	}
	return string(all)
}

func (r *run) textsOf(it *results.Item, record *journal.Record) itemTexts {
	answer := len(record.Text)
	if m := &it.Marks[0]; m.Answered() {
		answer = m.At.Start
	}
	w := writtenOf(&r.Header, record.Text, answer)
	t := itemTexts{
		Question: record.Question, Options: record.OptionTexts, Text: w.text, Thinking: html.Units(w.text[:w.thinking]),
		Error:  record.Error,
		Finish: string(it.Finish), Attempt: it.Attempt, Server: it.Server,
	}
	if record.Prompt != "" {
		t.Prompt = &record.Prompt
	}
	if m := &it.Marks[0]; m.Answered() {
		start := html.Units(w.text[:m.At.Start-w.left])
		end := start + html.Units(record.Text[m.At.Start:m.At.End])
		t.Start, t.End = &start, &end
	}
	for i := range it.Marks {
		t.Rules = append(t.Rules, it.Marks[i].Rule)
	}
	u := &it.Usage
	t.Usage = known(map[string]int{"prompt": u.PromptTokens, "reused": u.ReusedTokens, "output": u.OutputTokens,
		"thinking": u.ThinkingTokens})
	share, _ := r.clock(it)
	at := &it.Timing
	t.Seconds = known(map[string]float64{
		"share": millis(share) / 1000, "queue": millis(at.Queue.Seconds()) / 1000, "first": millis(at.FirstToken.Seconds()) / 1000,
		"prefill": millis(at.Prefill.Seconds()) / 1000, "decode": millis(at.Decode.Seconds()) / 1000,
		"total": millis(at.Total.Seconds()) / 1000,
	})
	return t
}

// known is without what is 0.
func known[T int | float64](all map[string]T) map[string]T {
	for name, value := range all {
		if value == 0 {
			delete(all, name)
		}
	}
	return all
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
