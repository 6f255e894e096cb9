package recount

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// figures fills want with every number of the report.
func (r *plainRun) figures() {
	r.answers()
	r.rules()
	r.speed()
	r.tags()
	r.again()
	r.cover()
	r.validity()
	r.thought()
}

// answers fills in what is about the answers that the run's own rule set takes.
func (r *plainRun) answers() {
	r.part("", r.items)
	scored, answered := scoredOf(r.items), answeredOf(r.items)
	r.put("accuracy_answered_baseline", meanOf(each(answered, chanceOf)))
	r.proportion("", "accuracy_answered_ci", answered, rightOf)
	r.put("baseline.expected", r.want["baseline"])
	delete(r.want, "baseline")
	delete(r.want, "p_value") // of parts alone
	most := r.most
	for _, it := range r.items {
		if r.most == 0 {
			most = max(most, it.Options)
		}
	}
	if r.task == "mmlu_pro_binary" {
		most = 2
	}
	r.put("baseline.nominal", 1/float64(most))
	for i, part := range by(r.items, subjectOf) {
		r.part(fmt.Sprintf("subjects.%d.", i), part)
	}
	r.holm()
	options := func(it *plainItem) int { return max(it.Original, it.Options) }
	largest := 0
	for _, it := range r.items {
		largest = max(largest, options(it))
	}
	if fewer := keep(r.items, func(it *plainItem) bool { return options(it) < largest }); len(fewer) > 0 {
		r.part("by_options.0.", keep(r.items, func(it *plainItem) bool { return options(it) == largest }))
		r.part("by_options.1.", fewer)
		r.put("by_options.0.options", float64(largest))
		r.put("by_options.1.options", float64(largest))
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
		r.proportion("headline.stderr", "headline.ci", scored, rightOf)
		scores := map[string][]float64{}
		for _, it := range scored {
			scores[it.Subject] = append(scores[it.Subject], it.right)
		}
		r.strata("macro_accuracy", "macro_se", "macro_ci", scores)
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
	if r.task != "mmlu_pro" {
		r.linear("macro_accuracy", "macro_se", "macro_ci", ratios(scored, rightOf, countOf), ratio, 0, true)
	}
}

func each(items []*plainItem, of func(*plainItem) float64) []float64 {
	xs := make([]float64, len(items))
	for i, it := range items {
		xs[i] = of(it)
	}
	return xs
}

// proportion is the standard error and the interval of the share of what counts: of independent items, or clustered by question.
func (r *plainRun) proportion(se, path string, items []*plainItem, counts func(*plainItem) float64) {
	if len(by(items, questionOf)) == len(items) {
		r.independent(se, path, each(items, counts))
		return
	}
	r.linear("", se, path, ratios(items, counts, countOf), ratio, 0, false)
}

// independent is the same of verdicts that do not depend on each other: their sample standard deviation by the root of their number.
func (r *plainRun) independent(se, path string, verdicts []float64) {
	r.put(se, math.Sqrt(varianceOf(verdicts)/float64(len(verdicts))))
	r.wilson(path, meanOf(verdicts), float64(len(verdicts)))
}

// part recounts the figures of all items, a subject, or a number of options.
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
	r.proportion(path+"stderr", path+"ci", scored, rightOf)
	switch r.task {
	case "mmlu_pro":
		if len(scored) > 0 {
			r.put(path+"p_value", poissonBinomial(int(total(scored, rightOf)), each(scored, chanceOf)))
		}
	case "mmlu_pro_binary":
		r.balanced(path+"balanced_accuracy", "", path+"balanced_accuracy_ci", confusionsOf(scored))
		r.put(path+"p_value", called(scored))
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
			_, whole := r.headlineOf(items)
			r.judge(path+"perf", whole, func(right, _, _, n int) bool { return right == n })
		}
	}
	if p, known := r.want[path+"p_value"]; known { // of both sides
		r.want[path+"p_value"] = min(0, p+math.Log10(2))
	}
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
	at := 0
	picked := func(letter string) []*plainItem {
		return keep(scored, func(it *plainItem) bool { return it.letter == letter })
	}
	for letter := range strings.SplitSeq("ABCDEFGHIJ", "") {
		gold := keep(scored, func(it *plainItem) bool { return it.Gold == letter })
		n, k := float64(len(gold)), float64(len(picked(letter)))
		if n+k == 0 {
			continue
		}
		path := fmt.Sprintf("letters.counts.%d.", at)
		at++
		r.put(path+"gold", n)
		r.put(path+"picked", k)
		r.put(path+"recall", total(gold, rightOf)/n)
	}
}

// distribution has the middle and the end of items' times.
func (r *plainRun) distribution(path string, seconds []float64) {
	if len(seconds) < 2 {
		return
	}
	r.put(path+"p50", quantile(seconds, 0.50))
	r.put(path+"p95", quantile(seconds, 0.95))
	r.put(path+"max", slices.Max(seconds))
}
