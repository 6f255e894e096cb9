//go:build cgo

package main

import (
	"slices"
	"strings"

	"proctor/scripts/tools/questions"
)

// examples invents training sequences: prompts of zero to five shots and a last question, each with its completion.
type examples struct {
	recipe     recipe
	vocabulary *Vocabulary
	taste      taste
}

func newExamples(r recipe, v *Vocabulary) examples { return examples{r, v, newTaste(r.Seed, v)} }

// reach is the largest position: the model's context; longest is how many tokens of it a completion may have.
const (
	reach   = 8192
	longest = 300
)

// batch invents the sequences of a step, always the same ones, divided into shards of about the same number of tokens.
// Those that are too long are left out.
func (e examples) batch(step int) [][]Sequence {
	stage := e.recipe.stage(step)
	parts, filled := make([][]Sequence, shards), make([]int, shards)
	for i, total := 0, 0; total < stage.batch; i++ {
		s := e.draw(stage, uint64(step)*stepExamples+uint64(i), i)
		if len(s.Tokens) > reach-longest {
			continue
		}
		least := slices.Index(filled, slices.Min(filled))
		parts[least] = append(parts[least], s)
		filled[least] += len(s.Tokens)
		total += len(s.Tokens)
	}
	return parts
}

// draw is example number index, the i-th of its step.
func (e examples) draw(s stage, index uint64, i int) Sequence {
	switch place := float64(i%10) / 10; {
	case s.long && i == 0:
		return e.sequence(index, longLimit, true)
	case place < s.tables:
		return e.table(index, drillLimit)
	case place < s.tables+s.drills:
		return e.drill(index, drillLimit)
	}
	return e.sequence(index, s.limit, false)
}

// sequence is example number index; those of one index are the same for ever. Lengths aim at about limit tokens.
func (e examples) sequence(index uint64, limit int, long bool) Sequence {
	x := e.example(index, limit, long)
	x.write()
	return x.script.sequence()
}

// drill is a sequence that teaches to find things among options: short questions without any instruction, each answered
// and then searched through option by option. It is how a network gets to reading tables before it meets whole prompts.
func (e examples) drill(index uint64, limit int) Sequence {
	x := e.example(index, limit, false)
	if x.style == styleBinary {
		x.style = styleTiger
	}
	x.form, x.sums = raw, 0.5
	x.special(beginToken, 0)
	for len(x.tokens) < x.finished {
		q, option := x.question()
		if q.Working == "" {
			q.Text = x.Expand("{np} {vp}?")
			q.Options = x.ShortOptions(2 + x.IntN(9))
		}
		options := x.ask(q, option, layouts[x.style].mark)
		x.prompt(layouts[x.style].cue)
		x.complete(q, option, options, " ")
		for _, i := range x.Perm(len(q.Options))[:x.IntN(len(q.Options)+1)] {
			if q.Working != "" {
				x.prompt(" " + q.Options[i] + " (")
				x.say(questions.Letter(i), letterWeight)
				x.say(").", plainWeight)
				continue
			}
			x.prompt(" (" + questions.Letter(i) + "):")
			x.copied(options[i])
		}
		x.prompt("\n\n")
	}
	return x.script.sequence()
}

// table is a sequence of computations, one after the other, with nothing around them to guess a result from.
func (e examples) table(index uint64, limit int) Sequence {
	x := e.example(index, limit, false)
	x.special(beginToken, 0)
	x.prompt(answerCue)
	for len(x.tokens) < x.finished {
		q := x.Computation(questions.Training)
		x.prompt(" " + strings.TrimSuffix(q.Working, q.Result+"."))
		x.say(q.Result, resultWeight)
		x.prompt(".")
	}
	return x.script.sequence()
}
