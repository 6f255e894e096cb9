//go:build cgo

package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/scripts/tools/questions"
)

var namedLetter = regexp.MustCompile(`(?:answer is \(|ANSWER: )([A-J])`)

// letters is a vocabulary without merges: tokens are bytes.
func letters() (*Vocabulary, examples) {
	v := vocabularyOf(specials, nil)
	return v, newExamples(recipe{Seed: 1}, v)
}

func TestPiecesOfAnExampleAreTokenizedLikeTheWhole(t *testing.T) {
	v := newVocabulary(1, 400, 60)
	e := newExamples(recipe{Seed: 1}, v)
	for i := range uint64(200) {
		x := e.example(i, 500, false)
		x.form = raw
		x.write()
		// The model's own words may be cut in the middle of a word; what it is given may not.
		prompt := x.tokens[1:x.promptEnd]
		want := v.Encode(v.Decode(prompt))
		if x.strange == 1 && !slices.Equal(prompt, want) {
			t.Fatalf("example %d: its pieces make %d tokens, the whole text %d:\n%s", i, len(prompt), len(want), v.Decode(prompt))
		}
	}
}

// TestLayoutIsTheOneThatProctorAsksIn takes examples apart and renders them with package prompts.
func TestLayoutIsTheOneThatProctorAsksIn(t *testing.T) {
	v, e := letters()
	names := []string{styleTiger: "tiger", styleLMEval: "lm-eval", styleEvalscope: "evalscope", styleBinary: "tiger"}
	for st, name := range names {
		t.Run(fmt.Sprint(st, name), func(t *testing.T) {
			for i := range uint64(20) {
				x := e.example(i, 3000, false)
				x.form, x.style = raw, style(st)
				x.write()
				got := v.Decode(x.tokens[1:x.promptEnd])
				want := rendered(t, name, x.subject, got)
				assert.Assert(t, got == want, "example %d reads\n%q\nbut proctor would ask\n%q", i, got, want)
			}
		})
	}
}

var optionLine = regexp.MustCompile(`(?m)^[A-J](?:\. |\) | )(.*)$`)

// rendered reads the questions out of a prompt and has package prompts write it.
func rendered(t *testing.T, name, subject, text string) string {
	t.Helper()
	found, err := prompts.LookupStyle(name)
	assert.NilError(t, err)
	set := &dataset.Set{Name: "example"}
	parts := strings.Split(text, "Question:\n")[1:]
	for i, part := range parts {
		text, list, _ := strings.Cut(part, "\nOptions:\n")
		list, reasoning, _ := strings.Cut(list, ": Let's think step by step. ")
		q := dataset.Question{ID: i, Subject: subject, Text: text, Answer: "A"}
		for _, match := range optionLine.FindAllStringSubmatch(list, -1) {
			q.Options = append(q.Options, match[1])
		}
		if i == len(parts)-1 {
			set.Test = append(set.Test, q)
			continue
		}
		reasoning, _, _ = strings.Cut(reasoning, "\n\nAnswer the following")
		q.CoT = "A: Let's think step by step. " + strings.TrimSuffix(reasoning, "\n\n")
		set.Validation = append(set.Validation, q)
	}
	items, err := prompts.Eval{Task: task.All[0], Style: found, Shots: len(set.Validation)}.Items(set, set.Test)
	assert.NilError(t, err)
	return items[0].Prompt()
}

func TestCompletionsEndInTheLetterTheyNamed(t *testing.T) {
	v, e := letters()
	named := regexp.MustCompile(`(?:keep|[0-9]) \(([A-J])\)`)
	for i := range uint64(300) {
		x := e.example(i, 300, false)
		x.write()
		text := v.Decode(x.tokens[x.promptEnd:])
		final := namedLetter.FindStringSubmatch(text)
		assert.Assert(t, final != nil, "example %d ends in no answer: %q", i, text)
		if first := named.FindStringSubmatch(text); x.style != styleBinary && first[1] != final[1] {
			t.Errorf("example %d names (%s) and answers (%s): %q", i, first[1], final[1], text)
		}
		if closing := x.tokens[len(x.tokens)-1]; closing != v.Special(endToken) && closing != v.Special(turnToken) {
			t.Errorf("example %d does not close", i)
		}
	}
}

func TestLettersThatTheModelIsTaughtAreSpreadEvenly(t *testing.T) {
	v := newVocabulary(1, 600, 60)
	e := newExamples(recipe{Seed: 1}, v)
	for _, sums := range []float64{0, 1} {
		t.Run(fmt.Sprintf("share of sums %v", sums), func(t *testing.T) {
			counts := map[string]int{}
			const count = 2500
			for i := range uint64(count) {
				x := e.example(i, 0, false)
				x.style, x.form, x.sums = styleTiger, raw, sums
				x.write()
				if strings.Count(v.Decode(x.tokens), "\nJ. ") == 1 {
					counts[namedLetter.FindStringSubmatch(v.Decode(x.tokens[x.promptEnd:]))[1]]++
				}
			}
			total := 0
			for _, n := range counts {
				total += n
			}
			for i := range 10 {
				if share := float64(counts[questions.Letter(i)]) / float64(total); share < 0.075 || share > 0.125 {
					t.Errorf("%s is right in %.1f %% of the questions with ten options", questions.Letter(i), 100*share)
				}
			}
		})
	}
}
