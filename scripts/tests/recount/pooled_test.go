package recount

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pooled"
	"proctor/runner/mark/stats"
)

// A taskPair is two runs of one task, with the set that its questions are of; weights are nil where its questions count alike.
type taskPair struct {
	a, b    *plainRun
	set     string
	weights map[string]int
}

// A plainMove is what a question moves the mean of all tasks by, counted as in its set, and its share of all that is counted.
type plainMove struct {
	set, subject  string
	moved, counts float64
}

// moves adds what each question of a task moves the task's difference by, that share of it, and returns the difference.
func (p taskPair) moves(share float64, into map[string]*plainMove) (difference float64) {
	var units []unit
	var names []string
	asked := map[string]float64{}
	for _, t := range twins(p.a, p.b) {
		if x := totals(p.a.task, t.a, t.whole); x != nil {
			units = append(units, unit{t.a[0].Subject, append(append([]float64{}, x...), totals(p.a.task, t.b, t.whole)...)})
			names = append(names, fmt.Sprint(p.set, "/", t.a[0].Subject, "/", t.a[0].Question))
			asked[t.a[0].Subject]++
		}
	}
	weight := func(u unit) float64 {
		if p.weights == nil {
			return 1
		}
		return float64(p.weights[u.subject]) / asked[u.subject]
	}
	sums, whole := make([]float64, len(units[0].x)), 0.0
	for _, u := range units {
		whole += weight(u)
		for k, x := range u.x {
			sums[k] += weight(u) * x
		}
	}
	ratios := len(sums) / 2 // of both runs, A's before B's
	each := share / float64(ratios/2)
	for i, u := range units {
		m := into[names[i]]
		if m == nil {
			m = &plainMove{set: p.set, subject: u.subject}
			into[names[i]] = m
		}
		moved := 0.0
		for k := range ratios {
			sign := map[bool]float64{true: -1, false: 1}[k < ratios/2]
			moved += sign * each * (u.x[2*k] - sums[2*k]/sums[2*k+1]*u.x[2*k+1]) / sums[2*k+1]
		}
		m.moved += weight(u) * moved
		m.counts += share * weight(u) / whole
	}
	for k := range ratios {
		difference += map[bool]float64{true: -1, false: 1}[k < ratios/2] * each * sums[2*k] / sums[2*k+1]
	}
	return difference
}

// pooledOf is the mean of the tasks' differences. Questions are drawn within their set, or, where its tasks all count them by the same
// sizes of subjects, within their subject.
func pooledOf(tasks []taskPair) (g plainGap, moves map[string]*plainMove) {
	moves = map[string]*plainMove{}
	sizes := map[string]string{}
	for _, p := range tasks {
		g.b += p.moves(1/float64(len(tasks)), moves)
		if text := fmt.Sprint(p.weights); sizes[p.set] == "" {
			sizes[p.set] = text
		} else if sizes[p.set] != text {
			sizes[p.set] = "unlike"
		}
	}
	weights, strata, heaviest := map[string]map[string]int{}, map[[2]string][]float64{}, 0.0
	for _, p := range tasks {
		if sizes[p.set] != "unlike" {
			weights[p.set] = p.weights
		}
	}
	for _, m := range moves {
		at := [2]string{m.set, m.subject}
		if weights[m.set] == nil {
			at[1] = ""
		}
		strata[at], heaviest = append(strata[at], m.moved), max(heaviest, m.counts)
	}
	size := func(at [2]string) float64 { // of the set's questions for each that any task asked
		if weights[at[0]] == nil {
			return 1
		}
		return float64(weights[at[0]][at[1]]) / float64(len(strata[at]))
	}
	var all []float64
	for at, of := range strata {
		for _, moved := range of {
			all = append(all, moved/size(at))
		}
	}
	variance := 0.0
	for at, of := range strata {
		if len(of) > 1 {
			variance += float64(len(of)) * varianceOf(of)
		} else {
			variance += size(at) * size(at) * varianceOf(all)
		}
	}
	g.error, g.n = math.Sqrt(variance), 1/heaviest
	return g, moves
}

// TestASecondPlainComputationOfOneDecision pools up to three tasks of random runs. Some of their questions are the same, one of the sets
// may be another, and the tasks' draws are weighted alike, each in its own way, or not at all.
func TestASecondPlainComputationOfOneDecision(t *testing.T) {
	random := rand.New(rand.NewPCG(43, 4))
	weighted, informed, sharing := 0, 0, 0
	for i := range 24 {
		var compared []*pairs.Comparison
		var tasks []taskPair
		population := map[string]int{"biology": 700 + i, "law": 200, "math": 90, "physics": 400}
		for j, task := range []string{"mmlu_pro", "mmlu_pro_binary", "mmlu_pro_circular"}[:2+i%2] {
			h, records := randomRun(task, random)
			if i%3 == 0 {
				h.Selection.Population = population
			}
			if i%4 > 1 && j == 1 {
				h.Dataset.SHA256 = "of another set"
			}
			if task == "mmlu_pro" { // the pair's own test is Tango's; its totals are these
				h, records = journaltest.Again(h, records, 1, nil)
			}
			c, runs := comparedPlainly(t, h, records, 2, random)
			of := taskPair{runs[0], runs[1], h.Dataset.SHA256, nil}
			if c.Pairs[0].Sample != nil {
				of.weights = runs[0].population
				weighted++
			}
			compared, tasks = append(compared, c), append(tasks, of)
		}
		p, err := pooled.Of(compared)
		if err != nil {
			t.Fatal(err)
		}
		pair := &p.Pairs[0]
		same := func(what string, got stats.Number, want float64) {
			t.Helper()
			if x, known := got.Get(); !known || math.Abs(x-want) > 1e-7*max(1, math.Abs(want)) {
				t.Errorf("decision %d: %s is %v, plainly %.12g", i, what, got, want)
			}
		}
		plain, moves := pooledOf(tasks)
		if sharing += pair.Shared; pair.Questions != len(moves) {
			t.Errorf("decision %d: %d questions, plainly %d", i, pair.Questions, len(moves))
		}
		reach := math.Sqrt2 * math.Erfinv(0.95)
		same("difference", pair.Difference, plain.b)
		same("error", pair.SE, plain.error)
		same("p", pair.PValue, math.Erfc(plain.z(0)/math.Sqrt2))
		same("low", stats.Of(pair.CI.Low), bound(plain.z, plain.b, -1, reach))
		same("high", stats.Of(pair.CI.High), bound(plain.z, plain.b, 1, reach))
		told := 0.0
		for j := range compared {
			told += math.Pow(compared[j].Pairs[0].SE.Or(math.NaN()), -2)
		}
		for j, part := range pair.Tasks {
			of := &compared[j].Pairs[0]
			same("weight", stats.Of(part.Weight), 1/float64(len(tasks)))
			same("a task's difference", part.Difference, of.Difference.Or(0))
			if se, known := of.SE.Get(); known {
				same("signal", part.Signal, math.Abs(of.Difference.Or(0))/se)
			}
			if known := !math.IsNaN(told); known {
				same("information", part.Information, math.Pow(of.SE.Or(0), -2)/told)
				informed++
			} else if part.Information.Defined() {
				t.Errorf("decision %d: a task's information is %v where nothing is known of another one's error", i, part.Information)
			}
		}
	}
	if weighted < 10 || informed < 20 || sharing < 100 {
		t.Errorf("%d weighted tasks, %d that inform and %d questions of several: too few to tell anything", weighted, informed, sharing)
	}
}
