package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"

	"proctor/backends"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// notByDivergence is why runs stay in the order given, whatever their divergences are.
const notByDivergence = "divergences say how much was changed, not what became worse, so runs are never ranked by them: in published " +
	"work on 69 quants they follow benchmark scores over wide ranges, and not at all among the good ones"

// Changed is how far two models' predictions lie from a reference's, by a score: what the pair's other half, whether answers became
// worse, says nothing of.
type Changed struct {
	Score     string    `json:"score"`     // the file
	Against   string    `json:"against"`   // run whose completions both read
	Reference string    `json:"reference"` // model that the divergences are from
	Method    string    `json:"kld_method"`
	A         *Distance `json:"a,omitempty"` // nil of the reference itself
	B         *Distance `json:"b,omitempty"`
}

// A Distance is a model's from the reference, under the names of package score; divergences are in nat a token.
type Distance struct {
	Tokens    int            `json:"tokens"`
	Questions int            `json:"questions"`
	MeanKLD   stats.Number   `json:"mean_kld,omitzero"`
	MeanKLDCI stats.Interval `json:"mean_kld_ci,omitzero"`
	P99KLD    stats.Number   `json:"p99_kld,omitzero"`
	SameTop   stats.Number   `json:"same_top,omitzero"`
	SameTopCI stats.Interval `json:"same_top_ci,omitzero"`
}

// A Score is what is read of a file that package score wrote.
type Score struct {
	path      string
	Against   string              `json:"against"`
	Reference *backends.ModelInfo `json:"reference"`
	Models    []struct {
		Info   backends.ModelInfo `json:"model"`
		Method string             `json:"kld_method"`
		Distance
	} `json:"models"`
}

// ReadScore reads what `score -o FILE.json` wrote; path is the file's, for people.
func ReadScore(path string, from io.Reader) (*Score, error) {
	s := &Score{path: path}
	if err := json.NewDecoder(from).Decode(s); err != nil || len(s.Models) == 0 {
		return nil, fmt.Errorf("--score %s: not what score writes: proctor score MODEL… --against RUN -o FILE.json", path)
	}
	if s.Reference == nil || !s.Models[0].MeanKLD.Defined() {
		return nil, fmt.Errorf("--score %s: it has no divergences: score against a run with --keep-logprobs, or with --exact REF", path)
	}
	return s, nil
}

// distance finds a run's model by its file's SHA-256; nil where it is the reference.
func (s *Score) distance(r *Run) (*Distance, string, error) {
	sum := r.Model.FileSHA256
	if sum == "" {
		return nil, "", fmt.Errorf("--score %s: the journal of %s has no SHA-256 of its model's file, so no score can be matched with it",
			s.path, r.Path)
	}
	if sum == s.Reference.FileSHA256 {
		return nil, "", nil
	}
	for i := range s.Models {
		if m := &s.Models[i]; m.Info.FileSHA256 == sum {
			return &m.Distance, m.Method, nil
		}
	}
	return nil, "", fmt.Errorf("--score %s: it is of other models: none of them, nor its reference, is the file that %s was run with (%s)",
		s.path, r.Path, r.Model.Ref)
}

// changed sets what a score says of two runs beside each other.
func (s *Score) changed(a, b *Run) (*Changed, error) {
	if s == nil {
		return nil, nil
	}
	first, methodA, errA := s.distance(a)
	second, methodB, errB := s.distance(b)
	if err := cmp.Or(errA, errB); err != nil {
		return nil, err // one line, for one run
	}
	return &Changed{
		Score: s.path, Against: s.Against, Reference: s.Reference.Ref, Method: cmp.Or(methodA, methodB), A: first, B: second,
	}, nil
}

// halves are the verdict's two: what was changed, and whether that made it worse.
func (p *Pair) halves(c *Comparison) page.Facts {
	var facts page.Facts
	if p.Changed == nil {
		return facts
	}
	name := "changed"
	for _, side := range []struct {
		run string
		d   *Distance
	}{{p.A, p.Changed.A}, {p.B, p.Changed.B}} {
		if side.d == nil {
			continue
		}
		facts.Add(name, nat(side.d.MeanKLD)+" nat", fmt.Sprintf("a token: mean KL divergence of %s from %s, %s %s%s; same top token %s",
			side.run, p.nameOf(p.Changed), c.interval(), natSpan(side.d.MeanKLDCI), p.Changed.bound(), format.Percent(side.d.SameTop)))
		name = ""
	}
	facts.Add(name, format.Percent(p.Flips)+" flips", fmt.Sprintf("of items: right → wrong %s, wrong → right %s; another answer %s",
		format.Count(p.RightToWrong), format.Count(p.WrongToRight), format.Percent(p.AnswerChanged)))
	facts.Add("worse", p.worse(), fmt.Sprintf("%s %s, %s %s, margin %s", p.Measure, change(p.Difference), c.pairInterval(),
		interval(p.CI), points(stats.Of(c.Margin))))
	return facts
}

// nameOf is the reference for people: the run's name where it is one of the two.
func (p *Pair) nameOf(c *Changed) string {
	switch {
	case c.A == nil:
		return p.A
	case c.B == nil:
		return p.B
	}
	return c.Reference
}

// bound says where a divergence is less than the whole.
func (c *Changed) bound() string {
	if c.Method == "lower_bound" {
		return ", a lower bound"
	}
	return ""
}

// worse answers whether B is worse.
func (p *Pair) worse() string {
	switch p.Decision {
	case Better:
		return "no: better"
	case NotWorse:
		return "no"
	case Worse:
		return "yes"
	case "":
		return format.Undefined
	case Identical:
		if p.ShownNotWorse() {
			return "no"
		}
	}
	return "undecided"
}

// changedSection sets the two halves of several runs side by side, in the order given.
func (c *Comparison) changedSection() page.Section {
	s := page.Section{Title: "Changed, and worse"}
	if len(c.Pairs) < 2 || c.Pairs[0].Changed == nil {
		return page.Section{}
	}
	s.Table = &page.Grid{Head: []string{
		"run", "Mean KLD", c.interval(), "99.0% KLD", "same top", "flips", "change", c.pairInterval(), "worse",
	}}
	row := func(name string, d *Distance, rest ...string) {
		cells := []string{name, "reference", "", "", ""}
		if d != nil {
			cells = []string{name, nat(d.MeanKLD), natSpan(d.MeanKLDCI), nat(d.P99KLD), format.Percent(d.SameTop)}
		}
		s.Table.Add(append(cells, rest...)...)
	}
	row(c.Runs[0].Name, c.Pairs[0].Changed.A, "", "", "", "")
	for i := range c.Pairs {
		p := &c.Pairs[i]
		row(p.B, p.Changed.B, format.Percent(p.Flips), change(p.Difference), interval(p.CI), p.worse())
	}
	first := c.Pairs[0].Changed
	s.Notes = []string{fmt.Sprintf("divergences in nat a token from %s%s, on the completions of %s; "+
		"flips, change and worse against %s, margin %s",
		first.Reference, first.bound(), first.Against, c.Runs[0].Name, points(stats.Of(c.Margin)))}
	return s
}

// nat is a divergence for people.
func nat(n stats.Number) string { return format.Decimal(n, 1, 6, "") }

func natSpan(i stats.Interval) string {
	if i.IsZero() {
		return format.Undefined
	}
	return nat(stats.Of(i.Low)) + "–" + nat(stats.Of(i.High))
}
