//go:build cgo

package main

import (
	"strings"

	"proctor/scripts/tools/questions"
)

// form is how a prompt is put to the model.
type form int

const (
	raw       form = iota // plain text, completed after the last word
	oneTurn               // the same text as a chat's user turn
	manyTurns             // a chat turn for each shot
)

// filler is the text with which the data set pads a validation question's options.
const filler = "N/A"

// example is one prompt with its completion in the making.
type example struct {
	*script
	taste     taste
	style     style
	form      form
	subject   string
	sums      float64 // share of questions that can be computed
	strange   float64 // share of shots whose reasoning is somebody else's
	chatCue   bool    // multi-turn: the cue stands in the user's turn
	finished  int     // tokens after which no shot is added
	long      bool
	promptEnd int // tokens up to the last completion
}

func (e examples) example(index uint64, limit int, long bool) *example {
	source := questions.NewSource(e.recipe.Seed, streamExamples+index)
	x := &example{script: &script{Source: source, vocabulary: e.vocabulary}, taste: e.taste, finished: limit, long: long}
	x.draw()
	return x
}

func (x *example) draw() {
	switch u := x.Float64(); {
	case u < 0.54:
		x.style = styleTiger
	case u < 0.64:
		x.style = styleLMEval
	case u < 0.80:
		x.style = styleEvalscope
	default:
		x.style = styleBinary
	}
	switch u := x.Float64(); {
	case u < 0.08:
		x.form = oneTurn
	case u < 0.12:
		x.form = manyTurns
	}
	x.chatCue = x.IntN(2) == 0
	x.subject = questions.Subjects[x.IntN(len(questions.Subjects))]
	if x.IntN(100) < 45 {
		x.subject, x.sums = "math", 1
		if x.IntN(4) == 0 {
			x.sums = 0.5
		}
	}
	x.strange = []float64{0, 0.5, 1, 1}[x.IntN(4)]
	if x.sums > 0 {
		x.strange = []float64{0, 0, 0, 0.5, 1}[x.IntN(5)]
	}
}

func (x *example) write() {
	x.special(beginToken, 0)
	if x.form != raw && x.IntN(4) == 0 {
		x.opens(systemToken)
		x.prompt(x.system())
		x.opens(turnToken)
	}
	if x.form != raw {
		x.opens(userToken)
	}
	shots := x.IntN(6)
	if x.long {
		shots = 5
	}
	if shots > 0 || x.style != styleEvalscope {
		x.prompt(x.style.preamble(x.subject))
	}
	for i := 0; i < shots && len(x.tokens) < x.finished; i++ {
		x.joint()
		x.shot()
	}
	x.joint()
	x.finish()
}

func (x *example) system() string {
	texts := []string{"You are a helpful assistant.", strings.TrimSpace(x.style.preamble(x.subject)), x.Sentence()}
	return texts[x.IntN(len(texts))]
}

// question invents what is asked; with True or False, its one option in question is the second result.
func (x *example) question() (q questions.Question, option string) {
	if x.Float64() < x.sums {
		q = x.Arithmetic(questions.Training)
		option = q.Result
	} else {
		q = x.Knowledge(x.subject)
	}
	if x.style == styleBinary && (option == "" || x.IntN(2) == 0) {
		option = q.Options[x.IntN(len(q.Options))]
	}
	return q, option
}

// ask adds a question's text in front of its cue and returns the tokens of its options, or of the one in question.
func (x *example) ask(q questions.Question, option, mark string) [][]int32 {
	if x.style == styleBinary {
		x.prompt("Question:\nIs")
		ids := x.prompt(" " + option)
		x.prompt(" the correct answer to the question: '" + q.Text + "'?\nOptions:\nA. True\nB. False\n")
		return [][]int32{ids}
	}
	x.prompt("Question:\n" + q.Text + "\nOptions:")
	var options [][]int32
	for i, text := range q.Options {
		x.prompt("\n" + questions.Letter(i) + strings.TrimSuffix(mark, " "))
		options = append(options, x.prompt(" "+text))
	}
	x.prompt("\n")
	return options
}

func (x *example) shot() {
	q, option := x.question()
	if x.style == styleLMEval || x.style == styleEvalscope {
		for len(q.Options) < 10 {
			q.Options = append(q.Options, filler)
		}
	}
	options := x.ask(q, option, layouts[x.style].mark)
	lead := " "
	if x.form != manyTurns || x.chatCue {
		x.prompt(layouts[x.style].cue)
	}
	if x.form == manyTurns {
		x.reply()
		lead = ""
	}
	if x.Float64() < x.strange {
		x.otherReasoning(q, option, lead)
	} else {
		x.complete(q, option, options, lead)
	}
	if x.form == manyTurns {
		x.special(turnToken, plainWeight)
		x.prompt("\n")
		x.opens(userToken)
		return
	}
	x.prompt("\n\n")
}

// otherReasoning is a shot's in other words than the model's own, with any letter.
func (x *example) otherReasoning(q questions.Question, option, lead string) {
	text := x.Reasoning(x.subject)
	if x.long {
		text += " " + x.Paragraph(x.IntN(10))
	}
	count, gold := len(q.Options), q.Gold
	if x.style == styleBinary {
		count, gold = 2, 1
		if option == q.Result {
			gold = 0
		}
	}
	if gold < 0 || q.Working == "" {
		gold = x.IntN(count)
	}
	if q.Working != "" {
		text += " " + q.Working
	}
	before, last := x.style.verdict(gold, " ")
	x.prompt(lead + text + before + last)
}

// finish asks the last question and completes it.
func (x *example) finish() {
	q, option := x.question()
	if x.long && x.IntN(2) == 0 {
		q.Text = x.Paragraph(5+x.IntN(20)) + "\n" + q.Text
	}
	lead, between := " ", layouts[x.style].mark
	if x.style == styleEvalscope {
		lead, between = "", ") "
		x.prompt(instruction(len(q.Options)))
	}
	options := x.ask(q, option, between)
	if x.style != styleEvalscope && (x.form != manyTurns || x.chatCue) {
		x.prompt(layouts[x.style].cue)
	}
	closing := endToken
	if x.form != raw {
		x.reply()
		lead, closing = "", turnToken
	}
	x.promptEnd = len(x.tokens)
	x.complete(q, option, options, lead)
	x.special(closing, plainWeight)
}
