package html

import (
	"math"
	"testing"

	"proctor/runner/mark/stats"
)

func TestLabelsStandApartWithinATelephonesArea(t *testing.T) {
	const area, letter = 318, 7.3
	s := Scatter{X: Axis{High: 1}, Y: Axis{High: 1}, Levels: []Held{{Value: stats.Of(0.7)}, {Value: stats.Of(0.69)}}}
	for i := range 12 {
		s.Marks = append(s.Marks, Mark{Name: "a/model-with-a-long-name", X: float64(i%5) / 4, Y: 0.7 + 0.001*float64(i), Size: 1})
	}
	all := s.labels()
	for i, l := range all {
		near, wide := s.Marks[i].X*area+l.beside, letter*float64(len([]rune(l.text)))
		if far := near + math.Copysign(wide, l.beside); min(near, far) < 0 || max(near, far) > area {
			t.Errorf("label %d reaches from %g to %g", i, near, far)
		}
		for _, other := range all[:i] {
			if math.Abs(l.down-other.down) < 2*halfLabel {
				t.Errorf("labels at %g and %g", l.down, other.down)
			}
		}
	}
}
