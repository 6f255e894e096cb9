package pooled

import (
	"maps"

	"proctor/runner/mark/pairs"
	"proctor/runner/mark/stats"
)

// A question is named by its set, its subject and its number there.
type question struct {
	set, subject string
	id           int
}

// A stratum is a part of a set within which questions are drawn alike.
type stratum struct{ set, name string }

// clusters are the questions of all tasks, each with its totals of every one.
type clusters struct {
	samples []stats.Sample
	gaps    []stats.Statistic
	width   int       // totals of a task
	weights []float64 // of the tasks
	n       float64   // questions that tell as much, each of which counts as much as the heaviest
	shared  int       // questions of several tasks
	asked   int
}

// A side is one task's pair with the set that it asks.
type side struct {
	set string
	pairs.Totals
}

func (s side) question(asked pairs.Total) question { return question{s.set, asked.Subject, asked.ID} }

// A plan is the order of all tasks' questions, and where each belongs.
type plan struct {
	alike map[string]bool // sets whose tasks all weight their questions alike, or not at all
	order []question
	in    map[question]stratum
	asked map[stratum]int
	tasks map[question]int
}

// planOf finds what the tasks ask. Within a set whose tasks weight their questions alike, the strata are those of the draw. Where its
// tasks differ in that, the set is one stratum.
func planOf(sides []side) plan {
	p := plan{map[string]bool{}, nil, map[question]stratum{}, map[stratum]int{}, map[question]int{}}
	first := map[string]side{}
	for _, s := range sides {
		before, there := first[s.set]
		if !there {
			first[s.set], before = s, s
		}
		p.alike[s.set] = (!there || p.alike[s.set]) && maps.Equal(s.Weights, before.Weights)
	}
	for _, s := range sides {
		for _, asked := range s.Questions {
			q := s.question(asked)
			if p.tasks[q]++; p.tasks[q] > 1 {
				continue
			}
			p.order = append(p.order, q)
			p.in[q] = stratum{set: s.set}
			if p.alike[s.set] {
				p.in[q] = stratum{s.set, asked.Stratum}
			}
			p.asked[p.in[q]]++
		}
	}
	return p
}

// clustersOf joins what the tasks say of each question. A question counts in each task as it does there: by the set's questions for each
// that the task asked, be it as a stratum's size or in its totals.
func clustersOf(sides []side, weights []float64) clusters {
	p := planOf(sides)
	c := clusters{weights: weights, asked: len(p.order)}
	totals, shares, population := map[question][]float64{}, map[question]float64{}, map[stratum]int{}
	for _, s := range sides {
		c.gaps = append(c.gaps, s.Gap)
		if c.width == 0 && len(s.Questions) > 0 {
			c.width = len(s.Questions[0].X)
		}
	}
	for i, s := range sides {
		counts, whole := s.counts()
		for j, asked := range s.Questions {
			q := s.question(asked)
			if totals[q] == nil {
				totals[q] = make([]float64, c.width*len(sides))
			}
			scale := counts[j]
			if of := p.in[q]; p.alike[s.set] && s.Weights != nil {
				population[of] = s.Weights[asked.Stratum]
				scale *= float64(p.asked[of]) / float64(population[of])
			}
			for k, x := range asked.X {
				totals[q][c.width*i+k] = scale * x
			}
			shares[q] += weights[i] * counts[j] / whole
		}
	}
	at, heaviest := map[stratum]int{}, 0.0
	for _, q := range p.order {
		h, there := at[p.in[q]]
		if !there {
			h, at[p.in[q]] = len(c.samples), len(c.samples)
			c.samples = append(c.samples, stats.Sample{Population: population[p.in[q]]})
		}
		c.samples[h].Questions = append(c.samples[h].Questions, totals[q])
		heaviest = max(heaviest, shares[q])
		if p.tasks[q] > 1 {
			c.shared++
		}
	}
	c.n = 1 / heaviest
	return c
}

// counts are how many questions of the set each asked one stands for, 1 where all count alike, and their sum.
func (s side) counts() (counts []float64, whole float64) {
	asked := map[string]float64{}
	for _, q := range s.Questions {
		asked[q.Stratum]++
	}
	for _, q := range s.Questions {
		count := 1.0
		if s.Weights != nil {
			count = float64(s.Weights[q.Stratum]) / asked[q.Stratum]
		}
		counts, whole = append(counts, count), whole+count
	}
	return counts, whole
}

// gap is the weighted sum of the tasks' differences.
func (c *clusters) gap(x []float64) (value float64, gradient []float64) {
	gradient = make([]float64, len(x))
	for i, gap := range c.gaps {
		of, slopes := gap(x[c.width*i : c.width*(i+1)])
		value += c.weights[i] * of
		for k, slope := range slopes {
			gradient[c.width*i+k] = c.weights[i] * slope
		}
	}
	return value, gradient
}

func (c *clusters) difference(confidence float64) stats.Estimate {
	return stats.PairedTotalsAs(c.samples, c.n, c.gap, confidence)
}
