package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"proctor/scripts/controlmodel/llama"
	"proctor/scripts/questions"
)

// longest is how many tokens a completion may have here.
const longest = 300

// complete continues a prompt greedily until the model ends its turn; ended is false where it would not stop.
func (t *trainer) complete(w *llama.Workspace, prompt []int32) (completion []int32, ended bool) {
	logits := w.Prefill(t.Params, prompt, longest+1)
	for len(completion) < longest {
		token := int32(slices.Index(logits, slices.Max(logits)))
		if token == t.vocabulary.Special(endToken) || token == t.vocabulary.Special(turnToken) {
			return completion, true
		}
		completion = append(completion, token)
		logits = w.Step(t.Params, token)
	}
	return completion, false
}

var namedLetter = regexp.MustCompile(`(?:answer is \(|ANSWER: )([A-J])`)

// evaluate asks the model count new prompts of each kind: sums, and questions that have no answer (there "right" means
// the pick it was taught).
func (t *trainer) evaluate(log io.Writer, count, limit int) {
	for _, st := range []style{styleTiger, styleEvalscope, styleBinary} {
		for _, kind := range []string{"sums", "no answer"} {
			results := make([]result, count)
			var group sync.WaitGroup
			for worker := range t.workers {
				group.Go(func() {
					w := llama.NewWorkspace(t.Recipe.Shape, 1024)
					defer w.Close()
					for i := worker; i < count; i += t.workers {
						results[i] = t.try(w, uint64(i), limit, st, kind == "sums")
					}
				})
			}
			group.Wait()
			var answered, right, most int
			var letters [10]int
			for _, r := range results {
				most = max(most, r.tokens)
				if r.letter != "" {
					answered++
					letters[strings.Index("ABCDEFGHIJ", r.letter)]++
				}
				if r.letter == r.want {
					right++
				}
			}
			fmt.Fprintf(log, "%-9s %-9s  answered %d of %d, right %.3f, longest completion %d tokens, letters %v\n",
				st, kind, answered, count, float64(right)/float64(count), most, letters)
		}
	}
}

// result is a completion: its letter, empty where it has none or does not end, the letter wanted, and its length.
type result struct {
	letter, want string
	tokens       int
}

func (t *trainer) try(w *llama.Workspace, index uint64, limit int, st style, sums bool) result {
	x := t.examples.clone().example(checkExamples+index, limit, false)
	x.style, x.form, x.sums, x.pool = st, raw, 1, questions.HeldOut
	if !sums {
		x.sums, x.subject = 0, questions.Subjects[index%uint64(len(questions.Subjects))]
	}
	x.write()
	completion, ended := t.complete(w, x.tokens[:x.asked])
	r := result{want: namedLetter.FindStringSubmatch(t.vocabulary.Decode(x.tokens[x.asked:]))[1], tokens: len(completion)}
	if letter := namedLetter.FindStringSubmatch(t.vocabulary.Decode(completion)); ended && letter != nil {
		r.letter = letter[1]
	}
	return r
}

// probe is the loss on 24 new examples, the same each time, apart for each kind of token: 2.3 nats for a letter is
// guessing among ten.
func (t *trainer) probe() string {
	report := "probe"
	for _, kind := range []struct {
		name   string
		weight float32
	}{{"letters", letterWeight}, {"results", resultWeight}, {"own words", plainWeight}, {"prompt", promptWeight}} {
		sum, count := 0.0, 0
		for i := range uint64(24) {
			s := t.examples.sequence(checkExamples+i, 300, false)
			part := llama.Sequence{Tokens: s.Tokens, Positions: s.Positions}
			for j, weight := range s.Weights {
				if weight == kind.weight {
					part.Rows = append(part.Rows, s.Rows[j])
					part.Targets = append(part.Targets, s.Targets[j])
					part.Weights = append(part.Weights, 1)
				}
			}
			sum += t.spaces[0].Loss(t.Params, part)
			count += len(part.Rows)
		}
		report += fmt.Sprintf("  %s %.3f", kind.name, sum/float64(count))
	}
	return report
}
