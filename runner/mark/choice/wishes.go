package choice

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
)

// A Wish is a bound on a figure of the model to run.
type Wish struct {
	figure *figure
	limit  float64 // in the figure's unit
	typed  string  // the limit, as people wrote it
}

// A figure is a property that wishes can bound.
type figure struct {
	name  string
	least bool // the wish is a lower bound, else an upper one
	as    string
	read  func(text string) (float64, error)
	write func(stats.Number) string
	of    func(*Candidate) stats.Estimate // undefined where it is not known; an exact figure is its own interval
}

var figures = []figure{
	{"prefill", true, "200t/s", readRate, format.PerSecond, func(c *Candidate) stats.Estimate { return c.Prefill }},
	{"decode", true, "20t/s", readRate, format.PerSecond, func(c *Candidate) stats.Estimate { return c.Decode }},
	{"memory", false, "8GB", readSize, writeSize, func(c *Candidate) stats.Estimate { return exact(c.Memory) }},
	{"size", false, "5GB", readSize, writeSize, func(c *Candidate) stats.Estimate { return exact(c.Info.SizeBytes) }},
	{kld, false, "0.02", readNat, format.Nat, func(c *Candidate) (e stats.Estimate) {
		if c.KLD != nil {
			e.Value, e.Interval = c.KLD.MeanKLD, c.KLD.MeanKLDCI
		}
		return e
	}},
	{loss, false, "2pp", format.ParsePoints, nil, nil}, // the comparison judges it
}

// kld is the figure that needs the reference's answers, and loss the one that needs the questions.
const kld, loss = "kld", "loss"

// exact is a number of bytes; undefined for none.
func exact(n int64) (e stats.Estimate) {
	if n > 0 {
		e.Value, e.Interval = stats.Of(float64(n)), stats.Interval{Low: float64(n), High: float64(n), Method: "exact"}
	}
	return e
}

func readRate(text string) (float64, error) {
	return readNat(strings.TrimSpace(strings.TrimSuffix(text, "t/s")))
}

func readNat(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
		err = errors.New("no number")
	}
	return x, err
}

func readSize(text string) (float64, error) {
	n, err := humanize.ParseBytes(text)
	return float64(n), err
}

func writeSize(n stats.Number) string { return format.Size(int64(n.Or(0)), "0 B") }

// Wishes are all bounds on the model to run; none: that it loses no more than a margin.
type Wishes []Wish

var wish = regexp.MustCompile(`^\s*([a-z]+)\s*(>=|<=)\s*(\S.*?)\s*$`)

// Set reads a list such as decode>=20t/s,loss<=2pp,memory<=8GB.
func (w *Wishes) Set(list string) error {
	var all Wishes
	for text := range strings.SplitSeq(list, ",") {
		parts := wish.FindStringSubmatch(text)
		if parts == nil {
			return fmt.Errorf("%q is no bound: write %s", strings.TrimSpace(text), examples())
		}
		i := slices.IndexFunc(figures, func(f figure) bool { return f.name == parts[1] })
		if i < 0 {
			return fmt.Errorf("%s is none of the figures: write %s", parts[1], examples())
		}
		f := &figures[i]
		limit, err := f.read(parts[3])
		switch {
		case err != nil || limit <= 0:
			return fmt.Errorf("%s is no bound of %s: write %s", parts[3], f.name, f)
		case f.sign() != parts[2]:
			return fmt.Errorf("%s has a bound on the other side: write %s", f.name, f)
		case slices.ContainsFunc(all, func(w Wish) bool { return w.figure == f }):
			return fmt.Errorf("%s has two bounds: leave one out", f.name)
		}
		all = append(all, Wish{f, limit, parts[3]})
	}
	*w = all
	return nil
}

// Texts are the list.
func (w *Wishes) Texts() []string {
	if len(*w) == 0 {
		return nil
	}
	return []string{strings.Join(w.each(), ",")}
}

func (w Wishes) each() (all []string) {
	for _, each := range w {
		all = append(all, each.String())
	}
	return all
}

func (w Wish) String() string { return w.figure.name + w.figure.sign() + w.typed }

func (f *figure) sign() string {
	if f.least {
		return ">="
	}
	return "<="
}

// String is an example of a wish.
func (f *figure) String() string { return f.name + f.sign() + f.as }

func examples() string {
	var all []string
	for i := range figures {
		all = append(all, figures[i].String())
	}
	return strings.Join(all, ", ")
}

// Loss is the tolerated loss of accuracy, a share; otherwise where the wishes have none.
func (w Wishes) Loss(otherwise float64) float64 {
	for _, each := range w {
		if each.figure.name == loss {
			return each.limit
		}
	}
	return otherwise
}

// Judge holds a candidate against the wishes by the intervals of its figures: each wish is kept, broken, or undecided,
// where the interval holds the bound. What other programs took of the machine could have made a model faster by as much
// at most. Figures that are not measured yet are left out, and so is the loss, which the comparison judges.
func (w Wishes) Judge(c *Candidate) (kept, broken, undecided []string) {
	for _, each := range w {
		f := each.figure
		if f.of == nil {
			continue
		}
		e, unknown := f.of(c), ""
		if f.name == kld {
			unknown = c.NoKLD
		} else if c.Measured {
			unknown = cmp.Or(c.Why, "it does not tell")
		}
		if !e.Value.Defined() {
			if unknown != "" {
				broken = append(broken, fmt.Sprintf("%s is not known: %s", f.name, unknown))
			}
			continue
		}
		ci, at, open := e.Interval, f.write(e.Value), ": undecided"
		keeps, breaks := ci.High <= each.limit, ci.Low > each.limit
		if f.name == kld {
			at = "at least " + at
		}
		if f.least {
			possible := ci.High / (1 - min(c.Others.Share, 0.99)) // with the machine to itself
			keeps, breaks, open = ci.Low >= each.limit, possible < each.limit, ": undecided on this machine now"
		}
		if ci.Low < ci.High {
			at += " (" + format.Ends(ci, "", " to ", f.write) + ")"
		}
		text := fmt.Sprintf("%s %s, wanted %s%s", f.name, at, f.sign(), each.typed)
		switch {
		case ci.IsZero():
			undecided = append(undecided, text+": undecided, too little was measured for an interval")
		case keeps:
			kept = append(kept, text)
		case breaks:
			broken = append(broken, text)
		default:
			undecided = append(undecided, text+open)
		}
	}
	return kept, broken, undecided
}
