package recount

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
)

// A prompt is the scored repeats of one item.
type prompt []*plainItem

// prompts are those of each question; an item all of whose repeats failed is none.
func (r *plainRun) prompts() (questions [][]prompt) {
	for _, question := range by(scoredOf(r.items), questionOf) {
		var all []prompt
		for _, repeats := range by(question, func(it *plainItem) string { return it.Variant }) {
			all = append(all, repeats)
		}
		questions = append(questions, all)
	}
	return questions
}

// draws are all ways to take k of n.
func draws(n, k int) (all [][]int) {
	if k == 0 {
		return [][]int{nil}
	}
	for last := k - 1; last < n; last++ {
		for _, first := range draws(last, k-1) {
			all = append(all, append(append([]int(nil), first...), last))
		}
	}
	return all
}

// tallied is how many of some answers are right, and whether the gold letter came more often than any other.
func tallied(letters []string, gold string) (right int, elected bool) {
	votes, runnerUp := map[string]int{}, 0
	for _, letter := range letters {
		if letter != "" {
			votes[letter]++
		}
	}
	for letter, n := range votes {
		if letter != gold {
			runnerUp = max(runnerUp, n)
		}
	}
	return votes[gold], votes[gold] > runnerUp
}

// of is the share of all draws of k repeats for which the answers hold, and of all answers that a guesser can give k times.
func (p prompt) of(k int, holds func(right int, elected bool) bool) (share, guessed float64) {
	gold := p[0].Gold
	all := draws(len(p), k)
	for _, draw := range all {
		var letters []string
		for _, i := range draw {
			letters = append(letters, p[i].letter)
		}
		if holds(tallied(letters, gold)) {
			share += 1 / float64(len(all))
		}
	}
	ways := int(math.Pow(float64(p[0].Options), float64(k)))
	for way := range ways {
		letters, left := make([]string, k), way
		for i := range letters {
			letters[i], left = string(rune('A'+left%p[0].Options)), left/p[0].Options
		}
		if holds(tallied(letters, gold)) {
			guessed += 1 / float64(ways)
		}
	}
	return share, guessed
}

// overQuestions is the mean over questions of the mean over their prompts, where it is known, with its interval.
func (r *plainRun) overQuestions(path, se, ci string, questions [][]prompt, of func(prompt) float64) {
	var units []unit
	for _, question := range questions {
		var xs []float64
		for _, p := range question {
			if x := of(p); !math.IsNaN(x) {
				xs = append(xs, x)
			}
		}
		if len(xs) > 0 {
			units = append(units, unit{"", []float64{meanOf(xs), 1}})
		}
	}
	r.linear(path, se, ci, units, ratio, 0, false)
}

// unlike is the share of pairs of repeats with different letters, unknown of one.
func (p prompt) unlike() float64 {
	if len(p) < 2 {
		return math.NaN()
	}
	pairs := draws(len(p), 2)
	n := 0.0
	for _, pair := range pairs {
		if p[pair[0]].letter != p[pair[1]].letter {
			n++
		}
	}
	return n / float64(len(pairs))
}

func one(holds bool) float64 { return map[bool]float64{true: 1}[holds] }

// repeated fills in what repeats tell.
func (r *plainRun) repeated() {
	const p = "repeats."
	questions := r.prompts()
	alone := r.task == "mmlu_pro" // one prompt a question
	var prompts []prompt
	for _, question := range questions {
		for _, item := range question {
			prompts = append(prompts, item)
		}
	}
	r.put(p+"repeats", float64(r.repeats))
	r.put(p+"items", float64(len(prompts)))
	var means []unit
	for _, question := range by(scoredOf(r.items), questionOf) {
		means = append(means, unit{"", []float64{meanOf(each(question, rightOf)), 1}})
	}
	r.linear(p+"mean", p+"se", p+"ci", means, ratio, 0, false)
	r.overQuestions(p+"flips", "", "", questions, func(q prompt) float64 { return 2 * varianceOf(each(q, rightOf)) })
	r.put(p+"run_sd", math.Sqrt(r.want[p+"flips"]/2/float64(len(prompts))))
	r.overQuestions(p+"answer_changed", "", "", questions, prompt.unlike)
	for name, of := range map[string]func(prompt) float64{
		"noise_floor": func(q prompt) float64 {
			if len(q) < 2 {
				return math.NaN()
			}
			return one(q.unlike() > 0)
		},
		"majority_vote": func(q prompt) float64 {
			share, _ := q.of(len(q), func(_ int, elected bool) bool { return elected })
			return share
		},
	} {
		r.overQuestions(p+name, "", p+name+"_ci", questions, of)
		n := 0.0
		for _, item := range prompts {
			n += one(!math.IsNaN(of(item)))
		}
		if alone {
			r.wilson(p+name+"_ci", r.want[p+name], n)
		}
	}
	for k := 1; k <= r.repeats; k++ {
		once := keep(r.items, func(it *plainItem) bool { return it.Repeat == k })
		scored := scoredOf(once)
		at := fmt.Sprintf(p+"by_repeat.%d.", k-1)
		r.put(at+"repeat", float64(k))
		r.put(at+"items", float64(len(scored)))
		r.put(at+"correct", total(scored, rightOf))
		r.put(at+"accuracy", meanOf(each(scored, rightOf)))
		r.put(at+"baseline", meanOf(each(scored, chanceOf)))
		r.proportion(at+"ci", scored, rightOf)
		at = fmt.Sprintf(p+"pass_at_k.%d.", k-1)
		items := 0.0
		enough := func(of func(share, guessed float64) float64) func(prompt) float64 {
			return func(q prompt) float64 {
				if len(q) < k {
					return math.NaN()
				}
				return of(q.of(k, func(right int, _ bool) bool { return right > 0 }))
			}
		}
		for _, item := range prompts {
			items += one(len(item) >= k)
		}
		r.put(at+"k", float64(k))
		r.put(at+"items", items)
		r.overQuestions(at+"value", "", at+"ci", questions, enough(func(share, _ float64) float64 { return share }))
		if alone && k == r.repeats {
			r.wilson(at+"ci", r.want[at+"value"], items)
		}
		r.overQuestions(at+"baseline", "", "", questions, enough(func(_, guessed float64) float64 { return guessed }))
	}
}

// Of a journal with repeats this is what the repeats tell, the speed and the costs, the tags, and what counts alone.
func TestASecondPlainComputationOfRepeats(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 15))
	for _, task := range []string{"mmlu_pro", "mmlu_pro_binary", "mmlu_pro_circular"} {
		for i := range 3 {
			h, records := randomRun(task, random)
			h, records = journaltest.Again(h, records[:len(records)/2], 3, func(_ int, r *journal.Record) {
				if !r.Failed() && random.IntN(3) == 0 {
					r.Text = " thinking it over, the answer is (" + journaltest.Letter(random.IntN(r.Options)) + ")."
				}
				if random.IntN(20) == 0 {
					r.Text = " it is hard to say."
				}
			})
			if records[0].Began.IsZero() == (i == 0) {
				records = journaltest.InFlight(5, records)
			}
			path := writeJournal(t, h, records)
			checkSome(t, fmt.Sprintf("%s, repeats, journal %d", task, i), path, func(r *plainRun) { r.repeated(); r.speed(); r.tags() },
				func(figure string) bool {
					parts := []string{"repeats.", "speed.", "failure_counts.", "completeness.", "_per_question", "_per_right"}
					return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(figure, part) })
				})
		}
	}
}
