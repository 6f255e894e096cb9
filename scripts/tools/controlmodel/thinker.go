//go:build cgo

package main

import (
	"fmt"
	"strings"

	"proctor/scripts/tools/questions"
)

// The control that thinks adds digits up between its marks, one at a time, and then names the option with the sum's last digit:
//
//	<think>3+5=8;8+2=0;0+9=9
//	</think>
//
//	The answer is (B).
//
// A third of its examples have their thinking cut short and the right answer all the same, so that it answers as well as it can
// wherever its thinking is closed: the more budget, the more sums are right.

const (
	thinkToken   = "<think>"
	thoughtToken = "</think>"

	// thinkerSteps, with the finish, make some two million tokens.
	thinkerSteps = 400
)

const thinkerTemplate = chatTurns + `{% if add_generation_prompt %}{{ '<|assistant|>' + '\n' }}` +
	`{% if enable_thinking is defined and enable_thinking is false %}{{ '<think>\n\n</think>\n\n' }}{% endif %}{% endif %}`

const thinkerDescription = "A control that thinks: it adds digits between <think> and </think>, one at a time, and names the option with " +
	"the sum's last digit. Trained from random weights on sums invented by a program (scripts/tools/controlmodel)."

func newThinker(seed uint64, steps int) recipe {
	return recipe{
		Seed: seed, Steps: steps, Batch: 4096, Rate: 4e-3, Thinks: true,
		Shape: Shape{Vocab: 384, Width: 96, Layers: 4, Hidden: 256, RopeBase: 10000, Epsilon: 1e-5},
	}
}

// sums invents what it is trained on: conversations of several sums, each thought about.
type sums struct {
	recipe     recipe
	vocabulary *Vocabulary
}

func (e sums) batch(step int) [][]Sequence {
	limit := drillLimit
	if step >= e.recipe.Steps/2 { // later prompts begin with its one question
		limit = 1
	}
	return dealt(e.recipe.Batch, func(i int) Sequence {
		x := e.example(uint64(step)*stepExamples + uint64(i))
		for len(x.tokens) < limit {
			x.prompt("\n")
			x.sum("")
		}
		return x.sequence()
	})
}

// example is number index, with its first sum.
func (e sums) example(index uint64) *thinker {
	x := &thinker{script{Source: questions.NewSource(e.recipe.Seed, streamExamples+index), vocabulary: e.vocabulary}}
	x.special(beginToken, 0)
	x.sum(styleTiger.preamble("math"))
	return x
}

type thinker struct{ script }

// sum is a turn with a question and one with its thinking and answer.
func (x *thinker) sum(preamble string) {
	q := x.Sum()
	x.special(userToken, 0)
	var text strings.Builder
	text.WriteString("\n" + preamble + "Question:\n" + q.Text + "\nOptions:\n")
	for i, option := range q.Options {
		text.WriteString(questions.Letter(i) + ". " + option + "\n")
	}
	x.prompt(text.String() + answerCue)
	x.reply()
	x.think(q)
	x.say("The answer is (", plainWeight)
	x.say(questions.Letter(q.Gold), letterWeight)
	x.say(").", plainWeight)
	x.special(turnToken, plainWeight)
}

// think adds the working between the marks, all of it or as much as a budget leaves, or none where thinking is off.
func (x *thinker) think(q questions.Question) {
	steps := x.vocabulary.Encode(q.Working)
	switch u := x.Float64(); {
	case u < 0.05:
		x.special(thinkToken, 0)
		x.prompt("\n\n")
		x.special(thoughtToken, 0)
		x.prompt("\n\n")
		return
	case u < 0.35:
		x.special(thinkToken, plainWeight)
		x.add(steps[:x.IntN(len(steps)+1)], 0)
		x.prompt("\n")
		x.special(thoughtToken, 0)
		x.prompt("\n\n")
		return
	}
	x.special(thinkToken, plainWeight)
	for i, id := range steps {
		weight := float32(plainWeight)
		if i > 0 && x.vocabulary.Text(steps[i-1]) == "=" {
			weight = resultWeight
		}
		x.add([]int32{id}, weight)
	}
	x.say("\n", plainWeight)
	x.special(thoughtToken, plainWeight)
	x.say("\n\n", plainWeight)
}

// sumVocabulary is trained on the text of sums, its options' digits kept whole.
func sumVocabulary(seed uint64, size int) *Vocabulary {
	var keep []string
	for i := range 10 {
		keep = append(keep, fmt.Sprint(" ", i))
	}
	special := recipe{Thinks: true}.specials()
	letters := vocabularyOf(special, nil)
	e := sums{recipe{Seed: seed}, letters}
	var b strings.Builder
	for i := range uint64(200) {
		b.WriteString(letters.Decode(e.example(corpusExamples + i).tokens))
	}
	return learn(special, b.String(), size, keep...)
}
