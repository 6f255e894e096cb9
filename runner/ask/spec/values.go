package spec

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"proctor/backends"
	"proctor/prompts"
	"proctor/prompts/chat"
	"proctor/prompts/dataset"
	"proctor/runner/ask/shard"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
)

// one is the text of a value that has one; none for the empty text.
func one(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// A Limit is the number of questions: a total, a number for each subject, or a share of each. The zero Limit: all.
type Limit journal.Draw

func (l *Limit) Set(text string) error {
	number, perSubject := strings.CutSuffix(text, "/subject")
	n, err := strconv.Atoi(number)
	share, wrong := format.ParseShare(number)
	switch {
	case err == nil && n >= 1 && perSubject:
		*l = Limit{PerSubject: n}
	case err == nil && n >= 1:
		*l = Limit{Limit: n}
	case err != nil && wrong == nil && !perSubject && share > 0:
		*l = Limit{Share: share}
	default:
		return errors.New("ask at least 1 question, as in 700 or 50/subject, or a share up to 1, as in 0.1 or 10%; leave the flag out to ask all")
	}
	return nil
}

func (l *Limit) Texts() []string { return one(l.String()) }

// String is the limit as people type it; empty for all questions.
func (l Limit) String() string {
	switch {
	case l.PerSubject > 0:
		return strconv.Itoa(l.PerSubject) + "/subject"
	case l.Share > 0:
		return format.TypedShare(l.Share)
	case l.Limit > 0:
		return strconv.Itoa(l.Limit)
	}
	return ""
}

// Subjects are the subjects to ask. Some may be restricted to a range of their questions.
type Subjects struct {
	Names  []string // whole ones; empty: all
	Places []string // as in math:1-50

	list string
}

// Whole are all questions of some subjects; without names, of all.
func Whole(names []string) Subjects { return Subjects{Names: names, list: strings.Join(names, ",")} }

func (s *Subjects) Set(list string) (err error) {
	s.list = list
	s.Names, s.Places, err = dataset.ReadSubjects(list)
	return err
}

func (s *Subjects) Texts() []string { return one(s.list) }

// Shots is the number of worked examples before a question; AutoShots: as many as the set and the style have.
type Shots int

// AutoShots are [prompts.MaxShots], or none where the set has no examples or the style shows none.
const AutoShots Shots = -1

func (s *Shots) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > prompts.MaxShots {
		return fmt.Errorf("give 0 to %d examples", prompts.MaxShots)
	}
	*s = Shots(n)
	return nil
}

func (s *Shots) Texts() []string {
	if *s == AutoShots {
		return nil
	}
	return one(strconv.Itoa(int(*s)))
}

// Budgets are tokens of thinking, ascending, after which it is closed; none: the default for a model that thinks.
type Budgets []int

// mostBudgets are more than anybody draws a curve of.
const mostBudgets = 16

func (b *Budgets) Set(text string) error {
	var all []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 0 || n > MostNumber {
			return fmt.Errorf("give tokens of thinking, as in 8192, or several, as in 512,2048,8192, up to %d; 0 is none",
				MostNumber)
		}
		all = append(all, n)
	}
	slices.Sort(all)
	if *b = slices.Compact(all); len(*b) > mostBudgets {
		return fmt.Errorf("%d budgets are too many: give at most %d", len(*b), mostBudgets)
	}
	return nil
}

func (b *Budgets) Texts() []string {
	var all []string
	for _, n := range *b {
		all = append(all, strconv.Itoa(n))
	}
	return one(strings.Join(all, ","))
}

// Points are a difference of shares, above 0 and below 1.
type Points float64

func (p *Points) Set(text string) error {
	x, err := format.ParsePoints(text)
	if err == nil && x <= 0 {
		err = errors.New("it must be above 0pp")
	}
	*p = Points(x)
	return err
}

func (p *Points) Texts() []string { return one(format.TypedPoints(float64(*p))) }

// A Level is a level of confidence, above 0 and below 1.
type Level float64

func (l *Level) Set(text string) error {
	x, err := format.ParseShare(text)
	if err == nil && (x <= 0 || x >= 1) {
		err = errors.New("it must be above 0% and below 100%")
	}
	*l = Level(x)
	return err
}

func (l *Level) Texts() []string { return one(format.TypedShare(float64(*l))) }

// A Shard is a part of a run; the zero Shard: all of it.
type Shard shard.Part

func (s *Shard) Set(text string) error {
	part, err := shard.Parse(text, os.Getenv)
	*s = Shard(part)
	return err
}

func (s *Shard) Texts() []string {
	if s.Count == 0 {
		return nil
	}
	return one(shard.Part(*s).String())
}

// Draw says how tokens are drawn, without seed and temperature.
type Draw struct {
	backends.Sampling
	Word string // instead of a list: [Own], or [Greedy], the default; empty for a list
}

// Words for a Draw.
const (
	Own    = "model"  // as the model's file or server recommends, with its temperature
	Greedy = "greedy" // always the likeliest
)

func (d *Draw) Set(list string) error {
	if list == Own || list == Greedy {
		*d = Draw{Default().Sampling.Sampling, list}
		return nil
	}
	if !strings.Contains(list, "=") {
		return fmt.Errorf("there are %s, %s, and lists of %s, as in top_k=40,top_p=0.95", Greedy, Own, strings.Join(backends.SamplingNames(), ", "))
	}
	d.Word = ""
	return d.Sampling.Set(list)
}

func (d *Draw) Texts() []string {
	if d.Word != "" {
		return one(d.Word)
	}
	return one(d.List())
}

// Content is the flag's text; greedy is the same as none.
func (d *Draw) Content() string { return strings.TrimPrefix(strings.Join(d.Texts(), ""), Greedy) }

// Stop ends completions instead of the style's stop strings.
type Stop struct {
	Given   bool // else the style's
	Strings []string
}

func (s *Stop) Set(text string) error {
	s.Given = true
	if text != "" {
		s.Strings = append(slices.Clip(s.Strings), text)
	}
	return nil
}

func (s *Stop) Texts() []string {
	if !s.Given {
		return nil
	}
	return append([]string{""}, s.Strings...) // the empty text marks that the flag was given
}

// Or are the given strings, or the style's where none were given.
func (s Stop) Or(style []string) []string {
	switch {
	case !s.Given:
		return style
	case s.Strings == nil:
		return []string{}
	}
	return s.Strings
}

// Marks are what stands before a model's thinking and behind it, as OPEN,CLOSE; nil for those of the chat template.
type Marks struct{ *backends.Thinking }

func (m *Marks) Set(text string) error {
	opening, closing, found := strings.Cut(text, ",")
	if !found || opening == "" || closing == "" || strings.Contains(closing, ",") {
		return fmt.Errorf("%s: give what stands before the thinking and behind it, as in '<think>,</think>'", text)
	}
	m.Thinking = &backends.Thinking{Open: opening, Close: closing}
	return nil
}

func (m *Marks) Texts() []string {
	if m.Thinking == nil {
		return nil
	}
	return []string{m.Open + "," + m.Close}
}

// Arguments are variables for a chat template.
type Arguments struct {
	chat.Arguments
	texts []string
}

func (a *Arguments) Set(text string) (err error) {
	a.texts = append(slices.Clip(a.texts), text)
	a.Arguments, err = chat.ParseArguments(a.texts)
	return err
}

func (a *Arguments) Texts() []string { return a.texts }
