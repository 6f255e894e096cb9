package html

import "proctor/runner/mark/stats"

// Strips are a table of figures with one drawn column: each line has a point with its interval and the guessing baseline.
type Strips struct {
	Caption string // what is drawn
	Head    []string
	Axis    Axis
	Bars    bool // from the axis's low end to the point, without intervals
	Legend  []Sign
	Rows    []Strip
}

// A Strip is a line of the table.
type Strip struct {
	Name     string
	Link     string // for the name; empty for none
	Value    stats.Number
	Interval stats.Interval
	Baseline stats.Number // what guessing scores or, for bars, what they are compared with
	Cells    []string     // after the drawing
	Strong   bool         // the line of the total
}

// A Sign explains a mark of a drawing.
type Sign struct {
	Kind, Text string
	Dashes     []float64 // of a dashed curve
}

// Pattern formats the dashes as an attribute.
func (s Sign) Pattern() string { return pattern(s.Dashes) }

// The kinds of sign.
const (
	Estimate = "estimate"
	Interval = "interval"
	Against  = "mark"
	Bar      = "bar"
	Drawn    = "rule"
	Guessing = "guessing"
	OnFront  = "front"
	Beaten   = "beaten"
	Shaded   = "shaded"
)

// Signs are the legend, by default estimates and guessing.
func (s Strips) Signs() []Sign {
	if s.Legend == nil {
		return []Sign{{Kind: Estimate, Text: "estimate"}, {Kind: Interval, Text: "interval"}, {Kind: Against, Text: "guessing"}}
	}
	return s.Legend
}

// Shares is an axis of shares with room for all lines.
func (s Strips) Shares() Axis {
	var values []float64
	for _, row := range s.Rows {
		values = append(values, row.Value.Or(0), row.Interval.High, row.Baseline.Or(0))
	}
	return Shares(values...)
}

// Block is the table.
func (s Strips) Block() Block { return render("strips", s.view()) }

// longName is the length in bytes up to which a name stays in one line: the names of all subjects do.
const longName = 24

// stripsView are Strips with their places.
type stripsView struct {
	Strips
	Long  bool // a name is broken into lines, so that the axis keeps its room
	Ticks []place
	Lines []strip
}

func (s Strips) view() stripsView {
	view := stripsView{Strips: s, Ticks: s.Axis.places()}
	for _, row := range s.Rows {
		view.Long = view.Long || len(row.Name) > longName
		line := strip{Strip: row, Bars: s.Bars, Ticks: view.Ticks}
		if x, known := row.Value.Get(); known {
			line.Point = s.Axis.percent(x)
			if s.Bars {
				line.From, line.Wide = "0%", line.Point
			}
		}
		if !row.Interval.IsZero() && !s.Bars {
			line.From, line.Wide = s.Axis.span(row.Interval)
		}
		if x, known := row.Baseline.Get(); known {
			line.Base = s.Axis.percent(x)
		}
		view.Lines = append(view.Lines, line)
	}
	return view
}

// A strip is a Strip with its places.
type strip struct {
	Strip
	Point, From, Wide, Base string
	Bars                    bool
	Ticks                   []place
}

// A place is a tick with its position.
type place struct{ At, Anchor, Label string }

func (a Axis) places() []place {
	var all []place
	for _, t := range a.Ticks {
		all = append(all, place{a.percent(t.At), anchor(a.share(t.At)), t.Label})
	}
	return all
}
