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
	"proctor/runner/mark/grade"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/results"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

//go:embed browser
var browser embed.FS

// The changes of an answer, by their numbers.
var changes = []string{rightToWrong, wrongToRight, wrongToWrong}

// wrongToWrong is no flip: another letter, as wrong as the first one's.
const wrongToWrong = "wrong_to_wrong"

// flipIndex is what the browser of flips knows of all of them at once, in columns, as the index of items does.
type flipIndex struct {
	Prefix   string              `json:"prefix"` // of all ids
	Chunk    int                 `json:"chunk"`
	IDs      []string            `json:"ids"`   // without the prefix; of several pairs with the run's name behind
	Items    []string            `json:"items"` // without it
	First    string              `json:"first"` // run
	Runs     []string            `json:"runs"`  // the second ones, by pair
	Pair     []int               `json:"pair"`
	Subject  []int               `json:"subject"`
	Subjects []string            `json:"subjects"`
	Gold     string              `json:"gold"`
	LettersA string              `json:"letters_a"` // - for none
	LettersB string              `json:"letters_b"`
	OutcomeA []int               `json:"outcome_a"`
	OutcomeB []int               `json:"outcome_b"`
	Outcomes []string            `json:"outcomes"` // right, causes and tags
	Change   []int               `json:"change"`
	Changes  []string            `json:"changes"`
	TokensA  []int               `json:"tokens_a"`
	TokensB  []int               `json:"tokens_b"`
	About    map[string][]string `json:"explained"`
}

// flipTexts are what the browser shows of one flip. Offsets count UTF-16 units, as browsers do.
type flipTexts struct {
	Prompt   *string   `json:"prompt,omitempty"` // after the subject's preamble
	Question string    `json:"question,omitempty"`
	Options  []string  `json:"options,omitempty"`
	Departs  *int      `json:"departs,omitempty"` // where the completions part; nil where they are the same
	A        sideTexts `json:"a"`
	B        sideTexts `json:"b"`
}

type sideTexts struct {
	Text     string `json:"text"`
	Start    int    `json:"start"` // of the answer that was found
	End      int    `json:"end"`
	To       int    `json:"to"` // where the first word ends that the other completion does not have
	Rule     string `json:"rule,omitempty"`
	Error    string `json:"error,omitempty"`
	Finish   string `json:"finish"`
	Tokens   int    `json:"tokens,omitempty"`
	Thinking int    `json:"thinking,omitempty"`
}

// A changed answer is an item to which the runs of a pair gave another one.
type answered struct {
	pair int
	a, b results.Answer
}

// change is the number of the answer's change.
func (x answered) change() int {
	switch {
	case x.a.Correct:
		return slices.Index(changes, rightToWrong)
	case x.b.Correct:
		return slices.Index(changes, wrongToRight)
	}
	return slices.Index(changes, wrongToWrong)
}

// browse adds a browser of the answers that changed, which the runs' journals are read again for.
func browse(c *pairs.Comparison, d *html.Document) error {
	all := answeredOf(c)
	if len(all) == 0 {
		d.Body = append(d.Body, html.Part(page.Section{Title: "Flips", Notes: []string{"no answer changed"}}))
		return nil
	}
	var readers []*journal.Reader
	for i := range c.Runs {
		r, err := journal.Open(c.Runs[i].Path)
		if err != nil {
			return err
		}
		defer r.Close()
		readers = append(readers, r)
	}
	texts, err := html.Chunks(all, func(x answered) (any, error) { return x.texts(readers[0], readers[1+x.pair]) })
	if err != nil {
		return err
	}
	return d.Browse(html.Browser{
		ID: "flips", Title: "Flips", Thing: "item", Files: browser, Style: "flips.css", Modules: []string{"flip.js", "flips.js", "start.js"},
		Notes: []string{"every item whose answer changed, right → wrong first; underlined: where the completions part; framed: " +
			"the answer that was found"},
		Index: flipIndexOf(c, all), Preambles: c.Runs[0].Marked.Header.Preambles, Texts: texts,
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
			if x := (answered{k, pair[0], pair[1]}); x.a.Letter != x.b.Letter {
				all = append(all, x)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y answered) int { return cmp.Compare(place[x.a.ID], place[y.a.ID]) })
	return all
}

func flipIndexOf(c *pairs.Comparison, all []answered) flipIndex {
	x := flipIndex{Prefix: c.Task + "/", Chunk: html.PerChunk, First: c.Runs[0].Name, Changes: changes, IDs: []string{}}
	if slices.ContainsFunc(all, func(y answered) bool { return !strings.HasPrefix(y.a.ID, x.Prefix) }) {
		x.Prefix = ""
	}
	for _, run := range c.Runs[1:] {
		x.Runs = append(x.Runs, run.Name)
	}
	var subjects, outcomes html.Names
	outcome := func(a results.Answer) int { return outcomes.Number(cmp.Or(string(a.Mark.Cause), string(a.Tag))) }
	var gold, first, second strings.Builder
	for _, y := range all {
		id := strings.TrimPrefix(y.a.ID, x.Prefix)
		x.Items = append(x.Items, id)
		if len(c.Pairs) > 1 {
			id += " " + x.Runs[y.pair]
		}
		x.IDs = append(x.IDs, id)
		x.Pair = append(x.Pair, y.pair)
		x.Subject = append(x.Subject, subjects.Number(y.a.Subject))
		x.OutcomeA, x.OutcomeB = append(x.OutcomeA, outcome(y.a)), append(x.OutcomeB, outcome(y.b))
		x.Change = append(x.Change, y.change())
		x.TokensA, x.TokensB = append(x.TokensA, y.a.Usage.OutputTokens), append(x.TokensB, y.b.Usage.OutputTokens)
		gold.WriteString(y.a.Gold)
		first.WriteString(cmp.Or(y.a.Letter, "-"))
		second.WriteString(cmp.Or(y.b.Letter, "-"))
	}
	x.Gold, x.LettersA, x.LettersB = gold.String(), first.String(), second.String()
	x.Subjects, x.Outcomes = subjects.All(), outcomes.All()
	x.Outcomes[0] = "right"
	x.About = grade.ExplainAll(x.Outcomes[1:])
	x.About[rightToWrong], x.About[wrongToRight] = []string{"right → wrong"}, []string{"wrong → right"}
	x.About[wrongToWrong], x.About["flips"] = []string{"another wrong one"}, []string{"both kinds of flip"}
	return x
}

// texts reads what both runs wrote again.
func (x answered) texts(first, second *journal.Reader) (flipTexts, error) {
	a, errA := first.At(x.a.Place)
	b, errB := second.At(x.b.Place)
	if err := errors.Join(errA, errB); err != nil {
		return flipTexts{}, err
	}
	t := flipTexts{Question: a.Question, Options: a.OptionTexts, A: sideOf(x.a, &a), B: sideOf(x.b, &b)}
	if a.Prompt != "" {
		t.Prompt = &a.Prompt
	}
	if at, toA, toB, parts := part(a.Text, b.Text); parts {
		same := html.Units(a.Text[:at])
		t.Departs = &same
		t.A.To, t.B.To = same+html.Units(a.Text[at:toA]), same+html.Units(b.Text[at:toB])
	}
	return t, nil
}

func sideOf(a results.Answer, record *journal.Record) sideTexts {
	s := sideTexts{
		Text: record.Text, Rule: a.Rule, Error: record.Error, Finish: string(record.Finish), Tokens: record.Usage.OutputTokens,
		Thinking: record.Usage.ThinkingTokens,
	}
	if a.Answered() {
		s.Start = html.Units(record.Text[:a.At.Start])
		s.End = s.Start + html.Units(record.Text[a.At.Start:a.At.End])
	}
	return s
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
