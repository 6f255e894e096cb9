package adaptive

import (
	"math"
	"testing"
)

func TestCalibrationHoldsWhatWasExpectedBeforeEachBlock(t *testing.T) {
	strata := []Stratum{{Questions: 100, Right: true, Doubt: 1.5}, {Questions: 900, Right: true, Doubt: -0.5}}
	first := Counts{Known: []int{20, 30}, Flips: []int{8, 0}}
	second := Counts{Known: []int{50, 60}, Flips: []int{20, 1}}
	all, explained := Calibrate(strata, []Counts{first, second})
	prior := expect(strata, make([]learnt, 2), believed)
	then := expect(strata, []learnt{{20, 8}, {30, 0}}, believed)
	deviance, share := 0.0, 21.0/110
	for h, b := range [][4]float64{{20, 8, 30, 12}, {30, 0, 30, 1}} {
		if want := b[0]*prior[h] + b[2]*then[h]; math.Abs(all[h].Expected.Or(-1)-want) > 1e-9 {
			t.Errorf("stratum %d: %v flips expected, want %g", h, all[h].Expected, want)
		}
		deviance -= 2 * (b[1]*math.Log(prior[h]) + (b[0]-b[1])*math.Log(1-prior[h]) + b[3]*math.Log(then[h]) + (b[2]-b[3])*math.Log(1-then[h]))
	}
	want := 1 - deviance/(-2*(21*math.Log(share)+89*math.Log(1-share)))
	if math.Abs(explained.Or(9)-want) > 1e-9 || all[0].Known != 50 || all[1].Flips != 1 {
		t.Errorf("explained %v, want %g; %+v", explained, want, all)
	}
	if _, explained := Calibrate(strata, []Counts{{Known: []int{5, 5}, Flips: []int{0, 0}}}); explained.Defined() {
		t.Errorf("of no flips: %v", explained)
	}
}
