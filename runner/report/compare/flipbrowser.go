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

// flipRow is what the browser of flips knows of each at once.
type flipRow struct {
	Flip
	Pair   int    `json:"pair"`
	Tokens [2]int `json:"tokens"` // that the runs wrote
}

// flipTexts are what the browser shows of one flip besides its row.
type flipTexts struct {
	html.ItemPrompt
	Departs *int      `json:"departs,omitempty"` // UTF-16 units before the place where the completions part; nil where they are the same
	A       sideTexts `json:"a"`
	B       sideTexts `json:"b"`
}

type sideTexts struct {
	html.Written
	To       int    `json:"to"` // where the first word ends that the other completion does not have
	Rule     string `json:"rule,omitempty"`
	Finish   string `json:"finish"`
	Thinking int    `json:"thinking,omitempty"`
}

// A changed answer is an item to which the runs of a pair gave another one.
type answered struct {
	pair int
	a, b results.Answer
}

// browse adds a browser of the answers that changed, which the runs' journals are read again for.
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

// answeredOf are the changed answers of all pairs, those of an item beside each other: they have texts in common.
func answeredOf(c *pairs.Comparison) []answered {
	var all []answered
	place := map[string]int{}
	for i, it := range c.Runs[0].Marked.Items {
		place[it.ID] = i
	}
	for k := range c.Pairs {
		both, _ := pairs.Answers(&c.Runs[0], &c.Runs[1+k])
		for _, pair := range both {
			if x := (answered{k, pair[0], pair[1]}); x.a.Letter != x.b.Letter && !(x.a.Correct && x.b.Correct) { // the right letter may be another one
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

// texts reads what both runs wrote again.
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

// part finds the first words ones in which two texts part: where both begin, and where each ends, in bytes.
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

// longestWord is how many bytes of a word are marked: some texts have no spaces.
const longestWord = 40

// wordEnd is the end of the word at a place of a text, behind what it has in common with the other one.
func wordEnd(text string, at, same int) int {
	end := len(text)
	if i := strings.IndexFunc(text[same:], unicode.IsSpace); i >= 0 {
		end = same + max(i, len(text[same:])-len(strings.TrimLeftFunc(text[same:], unicode.IsSpace)))
	}
	return max(at, characterAt(text, min(end, same+longestWord)))
}

// characterAt is where the character begins that a byte of a text is of.
func characterAt(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
