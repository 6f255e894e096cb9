package recount

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// wholeOf are the questions with every rotation, none of them failed.
func wholeOf(items []*plainItem) (whole [][]*plainItem) {
	for _, question := range by(items, questionOf) {
		if len(scoredOf(question)) == question[0].Options {
			whole = append(whole, question)
		}
	}
	return whole
}

// A verdict is made of how many answers are right, how often the content chosen most was, how often the gold one's closest rival was,
// and how many answers there are.
type verdict func(right, most, rival, n int) bool

func judgement(question []*plainItem, letter func(i int) string, holds verdict) bool {
	votes, right := map[int]int{}, 0
	for i, it := range question {
		if letter(i) != "" {
			votes[strings.Index(it.Variant, letter(i))]++
		}
		if letter(i) == it.Gold {
			right++
		}
	}
	most, rival := 0, 0
	gold := strings.Index(question[0].Variant, question[0].Gold)
	for content, n := range votes {
		if most = max(most, n); content != gold {
			rival = max(rival, n)
		}
	}
	return holds(right, most, rival, len(question))
}

func share(questions [][]*plainItem, holds verdict) float64 {
	n := 0.0
	for _, question := range questions {
		if judgement(question, func(i int) string { return question[i].letter }, holds) {
			n++
		}
	}
	return n / float64(len(questions))
}

// judge is the share of questions that hold, with its interval and what the three guessers score: all ways in which they can answer.
func (r *plainRun) judge(path string, questions [][]*plainItem, holds verdict) {
	r.put(path, share(questions, holds))
	r.wilson(path+"_ci", share(questions, holds), float64(len(questions)))
	var anew, content, letter []float64
	for _, question := range questions {
		n, ways, hits := question[0].Options, 1, [3]float64{}
		for range question {
			ways *= n
		}
		say := func(x int) string { return string(rune('A' + x)) }
		add := func(i int, answers func(i int) string) {
			if judgement(question, answers, holds) {
				hits[i]++
			}
		}
		for way := range ways {
			add(0, func(i int) string { return say(way / int(math.Pow(float64(n), float64(i))) % n) })
		}
		for x := range n {
			add(1, func(i int) string { return question[i].Variant[x : x+1] })
			add(2, func(int) string { return say(x) })
		}
		anew, content = append(anew, hits[0]/float64(ways)), append(content, hits[1]/float64(n))
		letter = append(letter, hits[2]/float64(n))
	}
	r.put(path+"_baseline.drawn_anew", meanOf(anew))
	r.put(path+"_baseline.same_content", meanOf(content))
	r.put(path+"_baseline.same_letter", meanOf(letter))
}

func (r *plainRun) circular(scored []*plainItem) {
	const c = "circular."
	whole := wholeOf(r.items)
	origin := originals(scored)
	for name, items := range map[string][]*plainItem{"acc_origin": origin, "perf_origin": origin, "acc_circular": scored} {
		r.put(c+name, meanOf(each(items, rightOf)))
		for _, guesser := range []string{"drawn_anew", "same_content", "same_letter"} {
			r.put(c+name+"_baseline."+guesser, meanOf(each(items, chanceOf)))
		}
		r.put(c+"over."+name, float64(len(items)))
		r.wilson(c+name+"_ci", meanOf(each(items, rightOf)), float64(len(items)))
	}
	r.linear("", "", c+"acc_circular_ci", ratios(scored, rightOf, countOf), ratio, 0, false, false)
	most := 0
	for _, question := range whole {
		most = max(most, len(question))
	}
	verdicts := map[string]verdict{
		"perf_circular":     func(right, _, _, n int) bool { return right == n },
		"consistency":       func(_, most, _, n int) bool { return most == n },
		"majority_vote":     func(right, _, rival, _ int) bool { return right > rival },
		"origin_minus_perf": nil,
	}
	for k := 1; k < most; k++ {
		name := fmt.Sprintf("more_%d_circular", k)
		verdicts[name] = func(right, _, _, _ int) bool { return right >= k }
		able := slices.DeleteFunc(slices.Clone(whole), func(q []*plainItem) bool { return len(q) < k })
		r.put(c+name+"_eligible", share(able, verdicts[name]))
		r.put(c+"over."+name+"_eligible", float64(len(able)))
	}
	for name, holds := range verdicts {
		if r.put(c+"over."+name, float64(len(whole))); holds != nil {
			r.judge(c+name, whole, holds)
		}
	}
	lost, n := 0.0, float64(len(whole))
	for _, question := range whole {
		if question[0].right == 1 && total(question, rightOf) < float64(len(question)) { // the original order is the first
			lost++
		}
	}
	r.put(c+"origin_minus_perf", lost/n)
	r.wilson(c+"origin_minus_perf_ci", lost/n, n)
	var firsts []*plainItem
	for _, question := range whole {
		firsts = append(firsts, question[0])
	}
	for _, guesser := range []string{"drawn_anew", "same_content", "same_letter"} {
		r.put(c+"origin_minus_perf_baseline."+guesser, meanOf(each(firsts, chanceOf))-r.want[c+"perf_circular_baseline."+guesser])
	}
	r.put(c+"questions_complete", n)
	questions := by(scored, questionOf)
	var means, chances []float64
	for _, question := range questions {
		means, chances = append(means, meanOf(each(question, rightOf))), append(chances, meanOf(each(question, chanceOf)))
	}
	units := make([]unit, len(means))
	for i, x := range means {
		units[i] = unit{"", []float64{x, 1}}
	}
	r.linear(c+"question_mean", c+"question_mean_se", c+"question_mean_ci", units, ratio, 0, false, false)
	r.put(c+"question_mean_baseline", meanOf(chances))
	r.put("chance_corrected", (meanOf(means)-meanOf(chances))/(1-meanOf(chances)))
	perfs, guesses := map[string][]float64{}, map[string][]float64{}
	for _, question := range whole {
		subject, n := question[0].Subject, float64(question[0].Options)
		perfs[subject] = append(perfs[subject], share([][]*plainItem{question}, verdicts["perf_circular"]))
		guesses[subject] = append(guesses[subject], math.Pow(n, -n))
	}
	r.strata(c+"macro_perf", c+"macro_perf_se", c+"macro_perf_ci", perfs, false)
	r.put("headline.value", r.want[c+"perf_circular"])
	r.put("headline.baseline", r.want[c+"perf_circular_baseline.drawn_anew"])
	r.wilson("headline.ci", r.want["headline.value"], n)
	if r.population != nil {
		r.strata("stratified.headline.value", "", "stratified.headline.ci", perfs, true)
		r.strata("stratified.headline.baseline", "", "", guesses, true)
	}
}
