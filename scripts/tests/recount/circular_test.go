package recount

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// wholeOf are the questions with every order that the pattern asks, none of them failed.
func (r *plainRun) wholeOf(items []*plainItem, rotationsAlone bool) (whole [][]*plainItem) {
	for _, question := range by(items, questionOf) {
		orders := question[0].Options
		if !rotationsAlone && r.pattern == "all_possible" {
			orders = int(math.Gamma(float64(orders) + 1))
		}
		if len(scoredOf(question)) == orders && len(question) == orders {
			whole = append(whole, question)
		}
	}
	return whole
}

func rotated(items []*plainItem) []*plainItem {
	return keep(items, func(it *plainItem) bool {
		letters := "ABCDEFGHIJ"[:it.Options]
		return strings.Contains(letters+letters, it.Variant)
	})
}

// headlineOf returns the pattern whose perf is the run's headline, and its items.
func (r *plainRun) headlineOf(items []*plainItem) (name string, whole [][]*plainItem) {
	if r.pattern == "all_possible" {
		return "all_possible", r.wholeOf(items, false)
	}
	return "circular", r.wholeOf(rotated(items), true)
}

// A verdict is made of how many answers are right, how often the content chosen most was, how often the gold one's closest runnerUp was,
// and how many answers there are.
type verdict func(right, most, runnerUp, n int) bool

func judgement(question []*plainItem, letter func(i int) string, holds verdict) bool {
	votes, right := map[int]int{}, 0
	for i, it := range question {
		if content := strings.Index(it.Variant, letter(i)); letter(i) != "" && content >= 0 {
			votes[content]++
		}
		if letter(i) == it.Gold {
			right++
		}
	}
	most, runnerUp := 0, 0
	gold := strings.Index(question[0].Variant, question[0].Gold)
	for content, n := range votes {
		if most = max(most, n); content != gold {
			runnerUp = max(runnerUp, n)
		}
	}
	return holds(right, most, runnerUp, len(question))
}

func share(questions [][]*plainItem, holds verdict) float64 {
	n := 0.0
	for _, question := range questions {
		n += one(judgement(question, func(i int) string { return question[i].letter }, holds))
	}
	return n / float64(len(questions))
}

// judge is the share of questions that hold, with its interval and what the three guessers score: all ways in which they can answer.
func (r *plainRun) judge(path string, questions [][]*plainItem, holds verdict) {
	r.put(path, share(questions, holds))
	r.wilson(path+"_ci", share(questions, holds), float64(len(questions)))
	sums, known := [3]float64{}, map[string][3]float64{}
	for _, question := range questions {
		key := question[0].Gold
		for _, it := range question {
			key += " " + it.Variant
		}
		if _, seen := known[key]; !seen {
			known[key] = guessed(question, holds)
		}
		for i, chance := range known[key] {
			sums[i] += chance
		}
	}
	for i, guesser := range guessers {
		r.put(path+"_baseline."+guesser, sums[i]/float64(len(questions)))
	}
}

var guessers = []string{"drawn_anew", "same_content", "same_letter"}

// guessed are each guesser's chances that a question holds.
func guessed(question []*plainItem, holds verdict) (chances [3]float64) {
	n := question[0].Options
	ways := math.Pow(float64(n), float64(len(question)))
	say := func(x int) string { return string(rune('A' + x)) }
	add := func(i int, of float64, answers func(i int) string) {
		chances[i] += one(judgement(question, answers, holds)) / of
	}
	for way := range int(ways) {
		add(0, ways, func(i int) string { return say(way / int(math.Pow(float64(n), float64(i))) % n) })
	}
	for x := range n {
		add(1, float64(n), func(i int) string { return question[i].Variant[x : x+1] })
		add(2, float64(n), func(int) string { return say(x) })
	}
	return chances
}

// accuracies are those of a set of orders, beside the guessers'.
func (r *plainRun) accuracies(name string, items []*plainItem) {
	name = "circular." + name
	r.put(name, meanOf(each(items, rightOf)))
	for _, guesser := range guessers {
		r.put(name+"_baseline."+guesser, meanOf(each(items, chanceOf)))
	}
	r.put("circular.over."+strings.TrimPrefix(name, "circular."), float64(len(items)))
	if len(by(items, questionOf)) == len(items) {
		r.wilson(name+"_ci", meanOf(each(items, rightOf)), float64(len(items)))
	} else {
		r.linear("", "", name+"_ci", ratios(items, rightOf, countOf), ratio, 0, false)
	}
}

// ofPattern are acc, perf and more_k of a pattern's orders.
func (r *plainRun) ofPattern(name string, items []*plainItem, whole [][]*plainItem) {
	const c = "circular."
	r.accuracies("acc_"+name, scoredOf(items))
	most := 0
	for _, question := range whole {
		most = max(most, len(question))
	}
	r.judged("perf_"+name, whole, func(right, _, _, n int) bool { return right == n })
	for k := 1; k < most; k++ {
		more := fmt.Sprintf("more_%d_%s", k, name)
		holds := func(right, _, _, _ int) bool { return right >= k }
		able := slices.DeleteFunc(slices.Clone(whole), func(q []*plainItem) bool { return len(q) < k })
		r.judged(more, whole, holds)
		r.put(c+more+"_eligible", share(able, holds))
		r.put(c+"over."+more+"_eligible", float64(len(able)))
	}
}

// judged is [plainRun.judge] with the number of questions.
func (r *plainRun) judged(name string, whole [][]*plainItem, holds verdict) {
	r.put("circular.over."+name, float64(len(whole)))
	r.judge("circular."+name, whole, holds)
}

func (r *plainRun) circular(scored []*plainItem) {
	const c = "circular."
	origin := originals(scored)
	r.accuracies("acc_origin", origin)
	turns := r.wholeOf(rotated(r.items), true)
	all := turns
	r.ofPattern("circular", rotated(r.items), turns)
	r.put(c+"over.origin_minus_perf", float64(len(turns)))
	r.lost(turns)
	if r.pattern == "all_possible" {
		all = r.wholeOf(r.items, false)
		r.ofPattern("all_possible", r.items, all)
	}
	r.judged("consistency", all, func(_, most, _, n int) bool { return most == n })
	voted := share(all, func(right, _, runnerUp, _ int) bool { return right > runnerUp })
	r.put(c+"over.majority_vote", float64(len(all)))
	r.put(c+"majority_vote", voted)
	r.wilson(c+"majority_vote_ci", voted, float64(len(all)))
	r.put(c+"questions_complete", float64(len(all)))
	questions := by(scored, questionOf)
	var means, chances []float64
	for _, question := range questions {
		means, chances = append(means, meanOf(each(question, rightOf))), append(chances, meanOf(each(question, chanceOf)))
	}
	units := make([]unit, len(means))
	for i, x := range means {
		units[i] = unit{"", []float64{x, 1}}
	}
	r.linear(c+"question_mean", c+"question_mean_se", c+"question_mean_ci", units, ratio, 0, false)
	r.put(c+"question_mean_baseline", meanOf(chances))
	r.put("chance_corrected", (meanOf(means)-meanOf(chances))/(1-meanOf(chances)))
	name, whole := r.headlineOf(r.items)
	perfs := map[string][]float64{}
	for _, question := range whole {
		subject := question[0].Subject
		perfs[subject] = append(perfs[subject], share([][]*plainItem{question}, func(right, _, _, n int) bool { return right == n }))
	}
	r.strata(c+"macro_perf", c+"macro_perf_se", c+"macro_perf_ci", perfs)
	r.put("headline.value", r.want[c+"perf_"+name])
	r.put("headline.baseline", r.want[c+"perf_"+name+"_baseline.drawn_anew"])
	var perfect []float64
	for _, of := range perfs {
		perfect = append(perfect, of...)
	}
	r.independent("headline.stderr", "headline.ci", perfect)
}

// lost counts the questions that are right in the original order and wrong in another rotation.
func (r *plainRun) lost(whole [][]*plainItem) {
	const c = "circular."
	lost, n := 0.0, float64(len(whole))
	for _, question := range whole {
		if originals(question)[0].right == 1 && total(question, rightOf) < float64(len(question)) { // the original order is the first
			lost++
		}
	}
	r.put(c+"origin_minus_perf", lost/n)
	r.wilson(c+"origin_minus_perf_ci", lost/n, n)
	var firsts []*plainItem
	for _, question := range whole {
		firsts = append(firsts, question[0])
	}
	for _, guesser := range guessers {
		r.put(c+"origin_minus_perf_baseline."+guesser, meanOf(each(firsts, chanceOf))-r.want[c+"perf_circular_baseline."+guesser])
	}
}
