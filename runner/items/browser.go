package items

import (
	"cmp"
	"embed"
	"io/fs"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"proctor/runner/grade"
	"proctor/runner/html"
	"proctor/runner/journal"
	"proctor/runner/results"
	"proctor/runner/timing"
)

//go:embed browser
var browser embed.FS

// modules are those of the browser, each after those that it imports.
var modules = []string{"data.js", "dom.js", "items.js", "list.js", "item.js", "browser.js"}

// perChunk is how many items have their texts together in a chunk, which a browser unpacks whole.
const perChunk = 64

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
	preambles := map[string]string{} // an object, also where the run has none
	maps.Copy(preambles, r.Header.Preambles)
	chunks, err := r.chunks()
	if err != nil {
		return err
	}
	for _, part := range []struct {
		id    string
		value any
	}{{"index", r.index()}, {"preambles", preambles}} {
		data, err := html.DataOf(part.id, part.value)
		if err != nil {
			return err
		}
		d.Data = append(d.Data, data)
	}
	d.Data = append(d.Data, chunks...)
	d.Body = append(d.Body, html.Block(asset("browser.html")))
	d.Styles = append(d.Styles, asset("browser.css"))
	for _, name := range modules {
		d.Modules = append(d.Modules, asset(name))
	}
	return nil
}

// asset is a file of the program's own.
func asset(name string) string {
	content, err := fs.ReadFile(browser, "browser/"+name)
	if err != nil {
		panic(err)
	}
	return string(content)
}

// names numbers the values of a column; the empty one is 0.
type names struct {
	all []string
	at  map[string]int
}

func (n *names) number(name string) int {
	if n.at == nil {
		n.all, n.at = []string{""}, map[string]int{"": 0}
	}
	i, seen := n.at[name]
	if !seen {
		i = len(n.all)
		n.all, n.at[name] = append(n.all, name), i
	}
	return i
}

func (r *run) index() index {
	x := index{Prefix: r.Header.Task + "/", Chunk: perChunk, About: map[string][]string{}}
	var subjects, tags, causes, rules names
	for _, n := range []*names{&subjects, &tags, &causes, &rules} {
		n.number("")
	}
	if slices.ContainsFunc(r.Items, func(it *results.Item) bool { return !strings.HasPrefix(it.ID, x.Prefix) }) {
		x.Prefix = ""
	}
	for _, it := range r.Items {
		m := &it.Marks[0]
		x.IDs = append(x.IDs, strings.TrimPrefix(it.ID, x.Prefix))
		x.Question = append(x.Question, it.QuestionID)
		x.Subject = append(x.Subject, subjects.number(it.Subject))
		x.Tag = append(x.Tag, tags.number(string(m.Tag)))
		x.Cause = append(x.Cause, causes.number(string(m.Cause)))
		x.Rule = append(x.Rule, rules.number(m.Rule))
		x.Tokens = append(x.Tokens, it.Usage.OutputTokens)
		seconds, _ := r.clock(it)
		x.Millis = append(x.Millis, millis(seconds))
	}
	x.Gold = r.letters(func(it *results.Item) string { return it.Gold })
	for k, set := range r.RuleSets {
		x.RuleSets = append(x.RuleSets, set.Name)
		x.Letters = append(x.Letters, r.letters(func(it *results.Item) string { return it.Marks[k].Letter }))
	}
	tags.all[0] = "right"
	x.Subjects, x.Tags, x.Causes, x.Rules = subjects.all, tags.all, causes.all, rules.all
	for _, name := range slices.Concat(tags.all[1:], causes.all[1:]) {
		if e := grade.Explain(name); e.Name != "" {
			x.About[name] = []string{e.Words, e.Means, e.Remedy}
		}
	}
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

// chunks are the items' texts, read from the journal again and deflated on all cores.
func (r *run) chunks() ([]html.Data, error) {
	parts := slices.Collect(slices.Chunk(r.Items, perChunk))
	chunks, failed := make([]html.Data, len(parts)), make([]error, len(parts))
	workers := runtime.GOMAXPROCS(0)
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for i := worker; i < len(parts); i += workers {
				chunks[i], failed[i] = r.chunk(i, parts[i])
			}
		})
	}
	group.Wait()
	return chunks, cmp.Or(failed...)
}

func (r *run) chunk(number int, part []*results.Item) (html.Data, error) {
	all := make([]itemTexts, len(part))
	for i, it := range part {
		record, err := r.record(it)
		if err != nil {
			return html.Data{}, err
		}
		all[i] = r.textsOf(it, &record)
	}
	return html.DataOf("texts-"+strconv.Itoa(number), all)
}

func (r *run) textsOf(it *results.Item, record *journal.Record) itemTexts {
	t := itemTexts{
		Question: record.Question, Options: record.OptionTexts, Text: record.Text, Error: record.Error,
		Finish: string(it.Finish), Attempt: it.Attempt, Server: it.Server,
	}
	if record.Prompt != "" {
		t.Prompt = &record.Prompt
	}
	if m := &it.Marks[0]; m.Answered() {
		start := units(record.Text[:m.At.Start])
		end := start + units(record.Text[m.At.Start:m.At.End])
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

// units is how long a text is in UTF-16.
func units(text string) int {
	n := 0
	for _, r := range text {
		if r == utf8.RuneError {
			n++
			continue
		}
		n += utf16.RuneLen(r)
	}
	return n
}
