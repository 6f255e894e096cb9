package compare

import (
	"cmp"
	"embed"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"proctor/runner/journal"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/results"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

//go:embed browser
var browser embed.FS

// flipRow is what the browser of flips loads of every flip at once.
type flipRow struct {
	Flip
	Pair   int    `json:"pair"`
	Tokens [2]int `json:"tokens"` // written by each run
}

// flipTexts are what the browser loads of a flip when it shows it.
type flipTexts struct {
	html.ItemPrompt
	Departs *int      `json:"departs,omitempty"` // UTF-16 units before the place where the completions differ; nil if they are equal
	A       sideTexts `json:"a"`
	B       sideTexts `json:"b"`
}

type sideTexts struct {
	html.Written
	To       int    `json:"to"` // end of the first word that differs from the other completion
	Rule     string `json:"rule,omitempty"`
	Finish   string `json:"finish"`
	Thinking int    `json:"thinking,omitempty"`
}

// An answered item is one to which the runs of a pair gave different answers.
type answered struct {
	pair int
	a, b results.Answer
}

// browse adds a browser of the changed answers; it reads the runs' journals again.
func browse(c *pairs.Comparison, d *html.Document) error {
	all := answeredOf(c)
	if len(all) == 0 {
		d.Body = append(d.Body, html.Part(page.Section{Title: "Flips", Notes: []string{"no answer changed"}}))
		return nil
	}
	var readers []*journal.Reader
	var names []string
	for i := range c.Runs {
		r, err := journal.Open(c.Runs[i].Path)
		if err != nil {
			return err
		}
		defer r.Close()
		readers, names = append(readers, r), append(names, c.Runs[i].Name)
	}
	return html.Browse(d, html.Browser[answered]{
		ID: "flips", Title: "Flips", Files: browser, Style: "flips.css", Modules: []string{"flip.js", "flips.js", "start.js"},
		Notes: []string{"every item whose answer changed, right → wrong first; underlined: where the completions part; framed: " +
			"the answer that was found"},
		Header: &c.Runs[0].Marked.Header, Names: names, Items: all, Row: answered.row,
		Texts: func(x answered) (any, error) { return x.texts(readers[0], readers[1+x.pair]) },
	})
}

// answeredOf returns the changed answers of all pairs. Those of one item are neighbours, since they have texts in common.
func answeredOf(c *pairs.Comparison) []answered {
	var all []answered
	place := map[string]int{}
	for i, it := range c.Runs[0].Marked.Items {
		place[it.ID] = i
	}
	for k := range c.Pairs {
		both, _ := pairs.Answers(&c.Runs[0], &c.Runs[1+k])
		for _, pair := range both {
			if x := (answered{k, pair[0], pair[1]}); x.a.Letter != x.b.Letter && !(x.a.Correct && x.b.Correct) { // options may be reordered
				all = append(all, x)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y answered) int { return cmp.Compare(place[x.a.ID], place[y.a.ID]) })
	return all
}

func (x answered) row() any {
	return flipRow{flipOf(x.a, x.b), x.pair, [2]int{x.a.Usage.OutputTokens, x.b.Usage.OutputTokens}}
}

// texts reads both runs' texts again.
func (x answered) texts(first, second *journal.Reader) (flipTexts, error) {
	a, errA := first.At(x.a.Place)
	b, errB := second.At(x.b.Place)
	if err := errors.Join(errA, errB); err != nil {
		return flipTexts{}, err
	}
	t := flipTexts{ItemPrompt: html.ItemPromptOf(&a), A: sideOf(x.a, &a), B: sideOf(x.b, &b)}
	if at, toA, toB, parts := part(a.Text, b.Text); parts {
		same := html.Units(a.Text[:at])
		t.Departs = &same
		t.A.To, t.B.To = same+html.Units(a.Text[at:toA]), same+html.Units(b.Text[at:toB])
	}
	return t, nil
}

func sideOf(a results.Answer, record *journal.Record) sideTexts {
	return sideTexts{
		Written: html.WrittenOf(record.Text, a.At.Start, a.At.End, record.Error), Rule: a.Rule, Finish: string(record.Finish),
		Thinking: record.Usage.ThinkingTokens,
	}
}

// part finds the first words in which two texts differ: where both begin, and where each ends, in bytes.
func part(a, b string) (at, toA, toB int, parts bool) {
	if a == b {
		return 0, 0, 0, false
	}
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	same = min(characterAt(a, same), characterAt(b, same))
	at = strings.LastIndexFunc(a[:same], unicode.IsSpace)
	if at >= 0 {
		_, width := utf8.DecodeRuneInString(a[at:])
		at += width
	} else {
		at = 0
	}
	return at, wordEnd(a, at, same), wordEnd(b, at, same), true
}

// longestWord is how many bytes of a word are marked at most: some texts have no spaces.
const longestWord = 40

// wordEnd is the end of the word at a byte of a text, after the bytes that both texts have in common.
func wordEnd(text string, at, same int) int {
	end := len(text)
	if i := strings.IndexFunc(text[same:], unicode.IsSpace); i >= 0 {
		end = same + max(i, len(text[same:])-len(strings.TrimLeftFunc(text[same:], unicode.IsSpace)))
	}
	return max(at, characterAt(text, min(end, same+longestWord)))
}

// characterAt is the first byte of the character that a byte of a text belongs to.
func characterAt(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
