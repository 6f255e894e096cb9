package choice

import (
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
	write func(x float64) string
	of    func(*Candidate) (value stats.Number, unknown string) // unknown says why there is no value; both are empty where it is not measured yet
}

var figures = []figure{
	{"prefill", true, "200t/s", readRate, writeRate, func(c *Candidate) (stats.Number, string) { return c.alone(c.Prefill) }},
	{"decode", true, "20t/s", readRate, writeRate, func(c *Candidate) (stats.Number, string) { return c.alone(c.Decode) }},
	{"memory", false, "8GB", readSize, writeSize, func(c *Candidate) (stats.Number, string) { return c.alone(bytes(c.Memory)) }},
	{"size", false, "5GB", readSize, writeSize, func(c *Candidate) (stats.Number, string) { return c.alone(bytes(c.Info.SizeBytes)) }},
	{"kld", false, "0.02", readNat, writeNat, func(c *Candidate) (stats.Number, string) {
		if c.KLD == nil {
			return stats.Undefined, c.NoKLD
		}
		return c.KLD.MeanKLD, ""
	}},
	{loss, false, "2pp", format.ParsePoints, func(x float64) string { return format.Points(stats.Of(x), 1) }, nil}, // the comparison judges it
}

// loss is the figure that needs the questions.
const loss = "loss"

// alone is a figure measured before any question.
func (c *Candidate) alone(value stats.Number) (stats.Number, string) {
	switch {
	case !c.Measured || value.Defined():
		return value, ""
	case c.Why != "":
		return value, c.Why
	}
	return value, "it does not tell"
}

func bytes(n int64) stats.Number {
	if n <= 0 {
		return stats.Undefined
	}
	return stats.Of(float64(n))
}

func readRate(text string) (float64, error) {
	return readNat(strings.TrimSpace(strings.TrimSuffix(text, "t/s")))
}

func writeRate(x float64) string { return format.PerSecond(stats.Of(x)) }

func readNat(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
		err = errors.New("no number")
	}
	return x, err
}

func writeNat(x float64) string { return format.Nat(stats.Of(x)) }

func readSize(text string) (float64, error) {
	n, err := humanize.ParseBytes(text)
	return float64(n), err
}

func writeSize(x float64) string { return format.Size(int64(x), "0 B") }

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

// Fails says which wishes a candidate is known to fail, and by how much. The loss is left to the comparison.
func (w Wishes) Fails(c *Candidate) (all []string) {
	for _, each := range w {
		f := each.figure
		if f.of == nil {
			continue
		}
		value, unknown := f.of(c)
		x, known := value.Get()
		switch {
		case !known && unknown != "":
			all = append(all, fmt.Sprintf("%s is not known: %s", f.name, unknown))
		case !known:
		case f.least && x < each.limit:
			all = append(all, fmt.Sprintf("%s %s, %s less than %s", f.name, f.write(x), f.write(each.limit-x), each.typed))
		case !f.least && x > each.limit:
			all = append(all, fmt.Sprintf("%s %s, %s more than %s", f.name, f.write(x), f.write(x-each.limit), each.typed))
		}
	}
	return all
}

// holds lists the figures by which a candidate meets the wishes.
func (w Wishes) holds(c *Candidate) (all []string) {
	for _, each := range w {
		if f := each.figure; f.of != nil {
			value, _ := f.of(c)
			all = append(all, fmt.Sprintf("%s: %s, wanted %s%s", f.name, f.write(value.Or(0)), f.sign(), each.typed))
		}
	}
	return all
}
