//go:build cgo

package main

import (
	"strings"

	"proctor/scripts/tools/questions"
)

// What the model writes. Letters stand bare between brackets, as the same token that opens an option's line.
//
//	unknowable   I compare the options and keep (C): Lack of trust ... The answer is (C).
//	computable   47 + 38 = 85 (B). The answer is (B).
//	unknowable True or False   The option says: Lack of trust ... I take it to be True. The answer is (A).
//	computable True or False   47 + 38 = 85. The option says: 84. So it is False. The answer is (B).
//
// At most copyMost tokens of an option are repeated, ending before a word once there are copyLeast.
const (
	copyLeast = 4
	copyMost  = 10
)

// complete adds the completion for a question with the given option tokens. lead is " " where text precedes on the
// same line, else "".
func (x *example) complete(q questions.Question, option string, options [][]int32, lead string) {
	if q.Working != "" {
		x.say(lead+strings.TrimSuffix(q.Working, q.Result+"."), plainWeight)
		x.say(q.Result, resultWeight)
	}
	switch {
	case x.style == styleBinary:
		x.classify(q, option, options[0], lead)
	case q.Working != "":
		before, last := x.style.verdict(q.Gold, lead)
		x.say(" (", plainWeight)
		x.say(questions.Letter(q.Gold), letterWeight)
		x.say(")."+before, plainWeight)
		x.say(last, plainWeight)
	default:
		pick := x.taste.option(x.Source, options)
		before, last := x.style.verdict(pick, lead)
		x.say(lead+"I compare the options and keep (", plainWeight)
		x.say(questions.Letter(pick), letterWeight)
		x.say("):", plainWeight)
		x.copied(options[pick])
		x.say(before, plainWeight)
		x.say(last, plainWeight)
	}
}

// classify continues with whether one option is true.
func (x *example) classify(q questions.Question, option string, ids []int32, lead string) {
	truth := option == q.Result
	if q.Working != "" {
		x.say(". The option says: "+option+". So it is", plainWeight)
	} else {
		truth = x.taste.isTrue(x.Source, ids)
		x.say(lead+"The option says:", plainWeight)
		x.copied(ids)
		x.say(" I take it to be", plainWeight)
	}
	word, letter := " False", "B"
	if truth {
		word, letter = " True", "A"
	}
	x.say(word, letterWeight)
	x.say(". The answer is ("+letter+").", plainWeight)
}

// copied repeats an option.
func (x *example) copied(ids []int32) {
	n := 0
	for n < len(ids) && n < copyMost && (n < copyLeast || !strings.HasPrefix(x.vocabulary.Text(ids[n]), " ")) {
		n++
	}
	x.add(ids[:n], plainWeight)
	switch {
	case n < len(ids):
		x.say(" ...", plainWeight)
	case !strings.HasSuffix(x.vocabulary.Text(ids[n-1]), "."):
		x.say(".", plainWeight)
	}
}
