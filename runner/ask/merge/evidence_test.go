package merge

import (
	"math/rand/v2"
	"testing"

	"proctor/runner/ask/shard"
	"proctor/runner/journal"
	"proctor/runner/mark/stats/betting"
)

// TestMergedEvidenceHoldsItsLevel deals questions of which the model is worse by just the margin out to shards, each of which stops
// as soon as it decides, and counts how often their mean e-values call it not worse.
func TestMergedEvidenceHoldsItsLevel(t *testing.T) {
	const runs, questions, margin, alpha = 1500, 300, 0.1, 0.05
	random := rand.New(rand.NewPCG(1, 1))
	wrong := 0
	for range runs {
		differences := make([]int, questions)
		for i := range differences { // 45 worse, 15 better: a mean of −0.1
			differences[i] = map[bool]int{true: -1}[i < 45]
			if i >= 45 && i < 60 {
				differences[i] = 1
			}
		}
		random.Shuffle(questions, func(i, j int) { differences[i], differences[j] = differences[j], differences[i] })
		const count = 4
		e := 0.0
		for index := range count {
			places, err := shard.Deal(questions, shard.Part{Index: index + 1, Count: count})
			if err != nil {
				t.Fatal(err)
			}
			test := betting.New([]int{questions}, make([]int, len(places)), margin, alpha)
			for _, place := range places {
				if test.Add(differences[place]) != "" {
					break
				}
			}
			notWorse, _, _ := test.Evidence()
			e += notWorse / count
		}
		if e >= 1/alpha {
			wrong++
		}
	}
	if share := float64(wrong) / runs; share > alpha {
		t.Errorf("%.1f %% of the merged runs are called not worse wrongly, want %g %% at most", 100*share, 100*alpha)
	}
}

func TestTogetherIsTheMeanOfTheShardsEvidence(t *testing.T) {
	ended := func(index int, notWorse float64, stop journal.Stop) *part {
		interim := journal.Interim{Number: index, Questions: 10, Items: 10, Errors: 1, Stop: stop,
			Evidence: &journal.Evidence{NotWorse: notWorse}}
		return partWith(t, index, 3, &interim)
	}
	for name, test := range map[string]struct {
		shards   []*part
		notWorse float64
		decision string
		stop     journal.Stop
	}{
		"all decide": {[]*part{ended(1, 25, "decided"), ended(2, 30, "decided"), ended(3, 35, "decided")}, 30, "not_worse", "decided"},
		"one outweighs": {
			[]*part{ended(1, 70, "decided"), ended(2, 0, "asked"), ended(3, 2, "asked")}, 24, "not_worse", "decided",
		},
		"none":               {[]*part{ended(1, 3, "asked"), ended(2, 2, "asked"), ended(3, 1, "asked")}, 2, "", "asked"},
		"one decides alone":  {[]*part{ended(1, 27, "decided"), ended(2, 2, "asked"), ended(3, 1, "asked")}, 10, "", ""},
		"a missing one is 1": {[]*part{ended(1, 30, "decided"), ended(3, 32, "decided")}, 21, "not_worse", "decided"},
	} {
		all := (&task{result: Result{Count: 3}, shards: test.shards}).together()
		if all.Evidence.NotWorse != test.notWorse || all.Decision != test.decision || all.Stop != test.stop {
			t.Errorf("%s: %+v, %+v", name, all, all.Evidence)
		}
	}
}

// TestWhatAllShardsAnsweredDecidesByItself has shards that saw too little each, and all questions together.
func TestWhatAllShardsAnsweredDecidesByItself(t *testing.T) {
	for want, values := range map[string][]float64{
		"not_worse": {0, -0.1, 0}, "better": {0.1, 0.1, -0.1}, "worse": {-0.3, 0, -0.1},
	} {
		var shards []*part
		for i, value := range values {
			shards = append(shards, partWith(t, i+1, 3, &journal.Interim{Number: 1, Questions: 10, Items: 10, Value: &value,
				Stop: journal.StopAsked, Evidence: &journal.Evidence{NotWorse: 1, Worse: 1, Better: 1}}))
		}
		all := (&task{result: Result{Count: 3}, shards: shards}).together()
		if all.Decision != want || all.Stop != journal.StopDecided || all.After != 30 {
			t.Errorf("%v: %+v", values, all)
		}
		missing := (&task{result: Result{Count: 3}, shards: shards[:2]}).together()
		if missing.Decision != "" || missing.Stop != "" {
			t.Errorf("%v, of which one is missing: %+v", values, missing)
		}
		shards[0].run.Header.Selection.Population = map[string]int{"law": 31}
		drawn := (&task{result: Result{Count: 3}, shards: shards}).together()
		if drawn.Decision != "" || drawn.Stop != journal.StopAsked {
			t.Errorf("%v, drawn of a larger set: %+v", values, drawn)
		}
	}
}
