package recount

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// figures fills want with every number of the report that is about answers.
func (r *plainRun) figures() {
	r.part("", r.items)
	scored, answered := scoredOf(r.items), answeredOf(r.items)
	r.put("accuracy_answered_baseline", meanOf(each(answered, chanceOf)))
	r.proportion("accuracy_answered_ci", answered, rightOf)
	r.put("baseline.expected", r.want["baseline"])
	r.put("baseline.p_value", r.want["p_value"])
	delete(r.want, "baseline")
	delete(r.want, "p_value")
	r.put("baseline.nominal", map[string]float64{"mmlu_pro": 0.1, "mmlu_pro_binary": 0.5, "mmlu_pro_circular": 0.1}[r.task])
	for i, part := range by(r.items, subjectOf) {
		r.part(fmt.Sprintf("subjects.%d.", i), part)
	}
	r.holm()
	options := func(it *plainItem) int { return max(it.Original, it.Options) }
	for i, part := range by(r.items, options) {
		path := fmt.Sprintf("by_options.%d.", i)
		r.part(path, part)
		r.put(path+"options", float64(options(part[0])))
	}
	r.letters(scored)
	subjects := []float64(nil)
	for _, part := range by(scored, subjectOf) {
		subjects = append(subjects, meanOf(each(part, chanceOf)))
	}
	r.put("macro_baseline", meanOf(subjects))
	switch r.task {
	case "mmlu_pro":
		r.put("chance_corrected", (r.want["accuracy"]-r.want["baseline.expected"])/(1-r.want["baseline.expected"]))
		r.put("headline.value", r.want["accuracy"])
		r.put("headline.baseline", r.want["baseline.expected"])
		r.wilson("headline.ci", r.want["accuracy"], float64(len(scored)))
		scores, chances := map[string][]float64{}, map[string][]float64{}
		for _, it := range scored {
			scores[it.Subject], chances[it.Subject] = append(scores[it.Subject], it.right), append(chances[it.Subject], chanceOf(it))
		}
		r.strata("macro_accuracy", "macro_se", "macro_ci", scores, false)
		if r.population != nil {
			r.strata("stratified.headline.value", "stratified.se", "stratified.headline.ci", scores, true)
			r.strata("stratified.headline.baseline", "", "", chances, true)
		}
		most := 0.0
		for _, gold := range by(scored, func(it *plainItem) string { return it.Gold }) {
			most = max(most, float64(len(gold))/float64(len(scored)))
		}
		r.put("baseline.constant_letter.accuracy", most)
	case "mmlu_pro_binary":
		r.binary(scored)
	case "mmlu_pro_circular":
		r.circular(scored)
	}
	accuracies := ratios(scored, rightOf, countOf)
	if r.task != "mmlu_pro" {
		r.linear("macro_accuracy", "macro_se", "macro_ci", accuracies, ratio, 0, false, true)
	}
	if r.population != nil {
		r.linear("stratified.accuracy", "stratified.se", "stratified.ci", accuracies, ratio, 0, true, false)
		r.linear("stratified.baseline", "", "", ratios(scored, chanceOf, countOf), ratio, 0, true, false)
		if r.task == "mmlu_pro" {
			scores := map[string][]float64{}
			for _, it := range scored {
				scores[it.Subject] = append(scores[it.Subject], it.right)
			}
			r.strata("stratified.accuracy", "stratified.se", "stratified.ci", scores, true)
		}
	}
	delete(r.want, "")
	for path := range r.want {
		if strings.HasPrefix(path, ".") {
			delete(r.want, path)
		}
	}
}

func each(items []*plainItem, of func(*plainItem) float64) []float64 {
	xs := make([]float64, len(items))
	for i, it := range items {
		xs[i] = of(it)
	}
	return xs
}

// proportion is the interval of the share of what counts: of independent items, or clustered by question.
func (r *plainRun) proportion(path string, items []*plainItem, counts func(*plainItem) float64) {
	if r.task == "mmlu_pro" {
		r.wilson(path, meanOf(each(items, counts)), float64(len(items)))
		return
	}
	r.linear("", "", path, ratios(items, counts, countOf), ratio, 0, false, false)
}

// part is what is said of all items, a subject, or a number of options.
func (r *plainRun) part(path string, items []*plainItem) {
	scored, answered := scoredOf(items), answeredOf(items)
	r.put(path+"items", float64(len(items)))
	r.put(path+"errors", float64(len(items)-len(scored)))
	r.put(path+"questions", float64(len(by(items, questionOf))))
	r.put(path+"answered", float64(len(answered)))
	r.put(path+"correct", total(items, rightOf))
	r.put(path+"accuracy", meanOf(each(scored, rightOf)))
	r.put(path+"accuracy_answered", meanOf(each(answered, rightOf)))
	r.put(path+"baseline", meanOf(each(scored, chanceOf)))
	r.proportion(path+"ci", scored, rightOf)
	switch r.task {
	case "mmlu_pro":
		if len(scored) > 0 {
			r.put(path+"p_value", poissonBinomial(int(total(scored, rightOf)), each(scored, chanceOf)))
		}
	case "mmlu_pro_binary":
		r.linear(path+"balanced_accuracy", path+"se", path+"balanced_accuracy_ci", confusionsOf(scored), balancedOf, 0, false, false)
		value, se := r.want[path+"balanced_accuracy"], r.want[path+"se"]
		if delete(r.want, path+"se"); se > 0 {
			q := float64(len(by(scored, questionOf)))
			r.put(path+"p_value", math.Log10(distuv.StudentsT{Sigma: 1, Nu: q - 1}.Survival((value-0.5)/se)))
		} else if !math.IsNaN(value) && value > 0 {
			r.alike(path, scored)
		}
		if path == "" {
			delete(r.want, "balanced_accuracy")
			for _, bound := range []string{"low", "high", "confidence"} {
				delete(r.want, "balanced_accuracy_ci."+bound)
			}
		}
	case "mmlu_pro_circular":
		var excess []float64
		for _, question := range by(scored, questionOf) {
			excess = append(excess, meanOf(each(question, rightOf))-meanOf(each(question, chanceOf)))
		}
		if spread := varianceOf(excess); spread > 1e-20 {
			t := meanOf(excess) / math.Sqrt(spread/float64(len(excess)))
			r.put(path+"p_value", math.Log10(distuv.StudentsT{Sigma: 1, Nu: float64(len(excess)) - 1}.Survival(t)))
		} else if first := originals(scored); len(first) > 0 {
			r.put(path+"p_value", poissonBinomial(int(total(first, rightOf)), each(first, chanceOf)))
		}
		if path != "" {
			origin := originals(scored)
			r.put(path+"acc_origin", meanOf(each(origin, rightOf)))
			r.wilson(path+"acc_origin_ci", r.want[path+"acc_origin"], float64(len(origin)))
			whole := wholeOf(items)
			r.judge(path+"perf", whole, func(right, _, _, n int) bool { return right == n })
			r.put(path+"perf_circular", share(whole, func(right, _, _, n int) bool { return right == n }))
		}
	}
}

// alike is what is said of yes/no questions none of which differs from the others: Wilson's for both rates, joined, and a p from how
// many options of each question were called true.
func (r *plainRun) alike(path string, scored []*plainItem) {
	questions := by(scored, questionOf)
	var chances []float64
	hits, sums := 0.0, make([]float64, 4)
	for i, question := range questions {
		// No answer to a wrong option is a call.
		calls := keep(question, func(it *plainItem) bool { return (it.Gold == "A") == (it.right == 1) })
		x := confusionsOf(scored)[i].x
		if x[1] > 0 {
			chances, hits = append(chances, float64(len(calls))/float64(len(question))), hits+x[0]
		}
		for i := range x {
			sums[i] += x[i]
		}
	}
	r.put(path+"p_value", poissonBinomial(int(hits), chances))
	if len(questions) < 2 {
		return
	}
	low, high := 0.0, 0.0
	for i := 0; i < 4; i += 2 {
		rate := sums[i] / sums[i+1]
		r.wilson("rate", rate, float64(len(questions)))
		low, high = low+math.Pow(rate-r.want["rate.low"], 2), high+math.Pow(r.want["rate.high"]-rate, 2)
	}
	for _, bound := range []string{"low", "high", "confidence"} {
		delete(r.want, "rate."+bound)
	}
	value := (sums[0]/sums[1] + sums[2]/sums[3]) / 2
	ci := path + "balanced_accuracy_ci"
	r.bounds(ci, max(0, value-math.Sqrt(low)/2), value+math.Sqrt(high)/2, 0)
}

func originals(items []*plainItem) []*plainItem {
	return keep(items, func(it *plainItem) bool { return strings.HasPrefix("ABCDEFGHIJ", it.Variant) })
}

// holm adjusts the subjects' p-values, which are logarithms here.
func (r *plainRun) holm() {
	var ps []float64
	for path, p := range r.want {
		if strings.HasPrefix(path, "subjects.") && strings.HasSuffix(path, ".p_value") {
			ps = append(ps, p)
		}
	}
	slices.Sort(ps)
	for path, p := range r.want {
		if !strings.HasPrefix(path, "subjects.") || !strings.HasSuffix(path, ".p_value") {
			continue
		}
		adjusted := math.Inf(-1)
		for i, other := range ps {
			if other <= p {
				adjusted = max(adjusted, other+math.Log10(float64(len(ps)-i)))
			}
		}
		r.put(strings.TrimSuffix(path, "value")+"adjusted", min(0, adjusted))
	}
}

func (r *plainRun) letters(scored []*plainItem) {
	at, answered := 0, float64(len(answeredOf(scored)))
	statistic, freedom := 0.0, -1.0
	picked := func(letter string) []*plainItem {
		return keep(scored, func(it *plainItem) bool { return it.letter == letter })
	}
	inGold := 0.0
	for _, gold := range by(scored, func(it *plainItem) string { return it.Gold }) {
		inGold += float64(len(picked(gold[0].Gold)))
	}
	for _, letter := range strings.Split("ABCDEFGHIJ", "") {
		gold := keep(scored, func(it *plainItem) bool { return it.Gold == letter })
		n, k := float64(len(gold)), float64(len(picked(letter)))
		if n+k == 0 {
			continue
		}
		path := fmt.Sprintf("letters.counts.%d.", at)
		at++
		r.put(path+"gold", n)
		r.put(path+"gold_share", n/float64(len(scored)))
		r.put(path+"picked", k)
		r.put(path+"picked_share", k/answered)
		r.put(path+"recall", total(gold, rightOf)/n)
		if n > 0 {
			if r.task == "mmlu_pro_circular" {
				r.put("circular.position_bias."+letter, total(gold, rightOf)/n)
			}
			expected := inGold * n / float64(len(scored))
			statistic, freedom = statistic+(k-expected)*(k-expected)/expected, freedom+1
		}
	}
	if r.task == "mmlu_pro" && freedom > 0 && inGold > 0 {
		r.put("letters.chi_square", statistic)
		r.put("letters.df", freedom)
		r.put("letters.p_value", math.Log10(distuv.ChiSquared{K: freedom}.Survival(statistic)))
	}
}

// A confusion's totals are true positives, positives, true negatives, negatives.
func confusionsOf(scored []*plainItem) (units []unit) {
	for _, question := range by(scored, questionOf) {
		x := make([]float64, 4)
		for _, it := range question {
			kind := 0
			if it.Gold == "B" {
				kind = 2
			}
			x[kind], x[kind+1] = x[kind]+it.right, x[kind+1]+1
		}
		units = append(units, unit{question[0].Subject, x})
	}
	return units
}

func balancedOf(x []float64) float64 { return (x[0]/x[1] + x[2]/x[3]) / 2 }

func f1Of(x []float64) float64 { return 2 * x[0] / (x[0] + x[1] + x[3] - x[2]) }

func mccOf(x []float64) float64 {
	tp, fn, tn, fp := x[0], x[1]-x[0], x[2], x[3]-x[2]
	return (tp*tn - fp*fn) / math.Sqrt((tp+fp)*(tp+fn)*(tn+fp)*(tn+fn))
}

func (r *plainRun) binary(scored []*plainItem) {
	units := confusionsOf(scored)
	const b = "binary."
	r.linear(b+"balanced_accuracy", b+"balanced_accuracy_se", b+"balanced_accuracy_ci", units, balancedOf, 0, false, false)
	r.linear("headline.value", "", "headline.ci", units, balancedOf, 0, false, false)
	r.linear(b+"macro_balanced_accuracy", b+"macro_balanced_accuracy_se", b+"macro_balanced_accuracy_ci", units, balancedOf, 0, false, true)
	r.linear(b+"mcc", "", b+"mcc_ci", units, mccOf, -1, false, false)
	r.linear(b+"f1", "", b+"f1_ci", units, f1Of, 0, false, false)
	r.linear(b+"tpr", "", "", units, func(x []float64) float64 { return x[0] / x[1] }, 0, false, false)
	r.linear(b+"tnr", "", b+"tnr_ci", units, func(x []float64) float64 { return x[2] / x[3] }, 0, false, false)
	if r.population != nil {
		r.linear("stratified.headline.value", "", "stratified.headline.ci", units, balancedOf, 0, true, false)
		r.put("stratified.headline.baseline", 0.5)
	}
	positives := float64(len(keep(scored, func(it *plainItem) bool { return it.Gold == "A" })))
	n := float64(len(scored))
	r.wilson(b+"tpr_ci", r.want[b+"tpr"], positives)
	r.put(b+"f1_always_true", 2*positives/(positives+n))
	r.put(b+"majority_baseline", max(positives, n-positives)/n)
	called := func(it *plainItem) bool { return it.letter == "A" }
	r.put(b+"predicted_true_rate", float64(len(keep(scored, called)))/n)
	r.put(b+"coin_baseline", 0.5)
	r.put("headline.baseline", 0.5)
	r.put("chance_corrected", 2*r.want[b+"balanced_accuracy"]-1)
	var verdicts [4][]float64 // all right, gold only, none, several
	var chances []float64
	for _, question := range by(r.items, questionOf) {
		asked := question[0].Original
		if r.balance {
			asked = 2
		}
		if len(scoredOf(question)) < asked {
			continue
		}
		yes := keep(question, called)
		gold := total(yes, rightOf)
		all := total(question, rightOf) == float64(len(question))
		for i, holds := range []bool{all, len(yes) == 1 && gold == 1, len(yes) == 0, len(yes) > 1} {
			verdicts[i] = append(verdicts[i], map[bool]float64{true: 1}[holds])
		}
		chances = append(chances, math.Pow(2, -float64(len(question))))
	}
	r.put(b+"questions_complete", float64(len(chances)))
	r.put(b+"question_exact_chance", meanOf(chances))
	for i, name := range []string{"exact", "gold_only", "no_true", "several_true"} {
		r.put(b+"question_"+name, meanOf(verdicts[i]))
		r.wilson(b+"question_"+name+"_ci", meanOf(verdicts[i]), float64(len(chances)))
	}
}

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
