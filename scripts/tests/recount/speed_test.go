package recount

import (
	"math"
	"slices"
)

func promptOf(it *plainItem) float64   { return it.Usage.Prompt }
func reusedOf(it *plainItem) float64   { return it.Usage.Reused }
func outputOf(it *plainItem) float64   { return it.Usage.Output }
func thinkingOf(it *plainItem) float64 { return it.Usage.Thinking }
func prefillOf(it *plainItem) float64  { return it.Timing.Prefill / 1e9 }
func decodeOf(it *plainItem) float64   { return it.Timing.Decode / 1e9 }
func totalOf(it *plainItem) float64    { return it.Timing.Total / 1e9 }

// autumn is near enough to the tests' times for nanoseconds from there to be exact.
const autumn = 1_794_000_000_000_000_000

func (it *plainItem) from() float64 { return float64(it.Began.UnixNano() - autumn) }
func (it *plainItem) to() float64   { return it.from() + it.Timing.Total }

// A stretch is time in which no item came or went.
type stretch struct{ from, to, active float64 }

// stretches are those of all lines; none where a line does not say when it was asked.
func (r *plainRun) stretches() (all []stretch) {
	var moments []float64
	for _, it := range r.lines {
		if it.Began.IsZero() || it.Timing.Total <= 0 {
			return nil
		}
		moments = append(moments, it.from(), it.to())
	}
	slices.Sort(moments)
	moments = slices.Compact(moments)
	for i := 1; i < len(moments); i++ {
		s := stretch{from: moments[i-1], to: moments[i]}
		for _, it := range r.lines {
			if it.from() <= s.from && it.to() >= s.to {
				s.active++
			}
		}
		all = append(all, s)
	}
	return all
}

// seconds is an item's part of the wall time.
func seconds(all []stretch, it *plainItem) (part float64) {
	for _, s := range all {
		if it.from() <= s.from && it.to() >= s.to {
			part += (s.to - s.from) / s.active / 1e9
		}
	}
	return part
}

func quantile(xs []float64, q float64) float64 {
	if len(xs) == 0 {
		return math.NaN()
	}
	slices.Sort(xs)
	at := q * float64(len(xs)-1)
	i := int(at)
	return xs[i] + (at-float64(i))*(xs[min(i+1, len(xs)-1)]-xs[i])
}

// rate is undefined where nothing was done, or in no time.
func rate(n, took float64) float64 {
	if n <= 0 || took <= 0 {
		return math.NaN()
	}
	return n / took
}

func (r *plainRun) speed() {
	scored := scoredOf(r.items)
	const s = "speed."
	prompt, reused, output := total(scored, promptOf), total(scored, reusedOf), total(scored, outputOf)
	prefill, decode := total(scored, prefillOf), total(scored, decodeOf)
	r.put(s+"prompt_tokens", prompt)
	r.put(s+"reused_tokens", reused)
	r.put(s+"output_tokens", output)
	r.put(s+"thinking_tokens", total(scored, thinkingOf))
	r.put(s+"reuse_share", reused/prompt)
	drafted := total(scored, func(it *plainItem) float64 { return it.Usage.Drafted })
	accepted := total(scored, func(it *plainItem) float64 { return it.Usage.Accepted })
	r.positive(s+"drafted_tokens", drafted)
	r.positive(s+"accepted_tokens", accepted)
	r.put(s+"accepted_share", accepted/drafted)
	r.put(s+"prefill_tokens_per_second", rate(prompt-reused, prefill))
	r.put(s+"decode_tokens_per_second", rate(output, decode))
	r.positive(s+"engine_seconds", prefill+decode)
	r.positive(s+"load_seconds", r.load/1e9)
	questions := float64(len(by(scored, questionOf)))
	if prefill+decode > 0 {
		r.put(s+"questions_per_engine_minute", 60*questions/(prefill+decode))
	}
	unique := total(scored, func(it *plainItem) float64 { return it.New })
	known := prompt > 0 && !slices.ContainsFunc(scored, func(it *plainItem) bool { return it.New == 0 })
	if known {
		r.put(s+"reuse_share_possible", (prompt-unique)/prompt)
	}
	var first []float64
	later, generating := 0.0, 0.0
	for _, it := range scored {
		if it.Timing.First <= 0 {
			continue
		}
		first = append(first, it.Timing.First/1e9)
		if it.Timing.Total > it.Timing.First && it.Usage.Output > 1 {
			later, generating = later+it.Usage.Output-1, generating+(it.Timing.Total-it.Timing.First)/1e9
		}
	}
	r.put(s+"decode_tokens_per_second_per_slot", rate(later, generating))
	taken := keep(scored, func(it *plainItem) bool { return it.Timing.Total > 0 })
	r.distribution(s+"first_token_seconds.", first)
	r.distribution(s+"item_seconds.", each(taken, func(it *plainItem) float64 { return it.Timing.Total / 1e9 }))
	all := r.stretches()
	clock := func(it *plainItem) float64 { return prefillOf(it) + decodeOf(it) }
	if all != nil {
		parts := map[*plainItem]float64{}
		for _, it := range r.items {
			parts[it] = seconds(all, it)
		}
		clock = func(it *plainItem) float64 { return parts[it] }
	}
	r.costs(s, scored, clock)
	wall := 0.0
	for _, stretch := range all {
		if stretch.active > 0 {
			wall += (stretch.to - stretch.from) / 1e9
		}
	}
	if wall == 0 {
		return
	}
	r.put(s+"wall_seconds", wall)
	outputs := output
	for _, it := range r.replaced() {
		outputs += it.Usage.Output
	}
	r.put(s+"output_tokens_per_second", rate(outputs, wall))
	r.put(s+"questions_per_minute", 60*questions/wall)
	r.put(s+"mean_active_slots", total(r.lines, totalOf)/wall)
	engine := total(r.lines, prefillOf) + total(r.lines, decodeOf)
	if engine <= 0 || engine > wall {
		return
	}
	r.put(s+"outside_engine_share", 1-engine/wall)
}

func (r *plainRun) positive(path string, x float64) {
	if x > 0 {
		r.put(path, x)
	}
}

// costs are seconds and output tokens by questions, and seconds by right answers.
func (r *plainRun) costs(path string, scored []*plainItem, clock func(*plainItem) float64) {
	questions := float64(len(by(scored, questionOf)))
	if !slices.ContainsFunc(scored, func(it *plainItem) bool { return clock(it) <= 0 }) {
		r.put(path+"seconds_per_question", total(scored, clock)/questions)
		r.put(path+"seconds_per_right_answer", total(scored, clock)/total(scored, rightOf))
	}
	if output := total(scored, outputOf); output > 0 {
		r.put(path+"output_tokens_per_question", output/questions)
	}
}

// tags counts what became of the items.
func (r *plainRun) tags() {
	const t = "failure_counts."
	for _, tag := range []string{"ADAPTER_ERROR", "HARNESS_ERROR", "NO_ANSWER", "WRONG_ANSWER"} {
		r.want[t+tag] = 0
	}
	capped := keep(r.items, cutShort)
	for _, it := range r.items {
		switch {
		case it.failed && it.Cause == "CTX_TRUNCATED":
			r.want[t+"HARNESS_ERROR"]++
		case it.failed:
			r.want[t+"ADAPTER_ERROR"]++
		case it.letter == "":
			r.want[t+"NO_ANSWER"]++
		case it.right == 0:
			r.want[t+"WRONG_ANSWER"]++
		}
		if it.cause != "" {
			r.want["causes."+it.cause]++
		}
	}
	r.put("cap_hits", float64(len(capped)))
	r.positive("completeness.planned", r.planned)
	r.put("completeness.missing", max(0, r.planned-float64(len(r.items))))
}
