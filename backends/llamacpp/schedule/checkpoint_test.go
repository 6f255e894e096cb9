package schedule

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
)

// statefulEngine is a fake of a model with recurrent layers: what follows a text is decided by a state, which is made of all
// tokens and cannot be cut back. A hybrid has a cache of tokens too, which must hold the very same ones.
type statefulEngine struct {
	fakeEngine
	hybrid bool
	states [][]int32
	saved  int
}

func (e *statefulEngine) begin(t *testing.T, slots, room int) Traits {
	e.states = make([][]int32, slots)
	all := e.fakeEngine.begin(t, slots, room)
	all.Stateful, all.Hybrid = true, e.hybrid
	return all
}

func (e *statefulEngine) Clear() {
	e.fakeEngine.Clear()
	clear(e.states)
}

func (e *statefulEngine) Copy(from, to int32) {
	e.fakeEngine.Copy(from, to)
	e.states[to] = slices.Clone(e.states[from])
}

func (e *statefulEngine) Trim(sequence int32, from int) bool {
	if from == 0 {
		e.states[sequence] = nil
	}
	return len(e.states[sequence]) <= from && e.fakeEngine.Trim(sequence, from)
}

func (e *statefulEngine) State(buf []byte, sequence int32) []byte {
	e.saved++
	for _, token := range e.states[sequence] {
		buf = append(buf, byte(token))
	}
	return buf
}

func (e *statefulEngine) SetState(sequence int32, state []byte) bool {
	e.states[sequence], _ = letters{}.Tokenize(string(state))
	if !e.hybrid {
		e.cells[sequence] = slices.Clone(e.states[sequence])
	}
	return true
}

func (e *statefulEngine) Decode(b engine.Batch) ([]int32, error) {
	for i, token := range b {
		if i == 0 || b[i-1].Sequence != token.Sequence {
			if held, state := e.cells[token.Sequence], e.states[token.Sequence]; !slices.Equal(held, state) {
				e.t.Fatalf("sequence %d holds %q, its state is of %q", token.Sequence, text(held), text(state))
			}
		}
	}
	drawn, err := e.fakeEngine.Decode(b)
	for _, token := range b { // also where it failed, when nobody knows what is in the state
		e.states[token.Sequence] = append(e.states[token.Sequence], token.ID)
	}
	return drawn, err
}

func text(tokens []int32) string {
	var b []byte
	for _, token := range tokens {
		b = append(b, byte(token))
	}
	return string(b)
}

// subjectsWithShots returns requests whose prompts are a subject's shots and then a question. Variants of a question part later.
func subjectsWithShots(subjects, questions, variants int) []backends.Request {
	random := rand.New(rand.NewPCG(5, 6))
	write := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('A' + random.IntN(26))
		}
		return string(b)
	}
	var all []backends.Request
	for s := range subjects {
		shots := write(500)
		for q := range questions {
			question := write(150 + random.IntN(100))
			for v := range variants {
				all = append(all, backends.Request{
					ID: fmt.Sprintf("%d/%d/%d", s, q, v), Prompt: shots + question + write(40), MaxTokens: 1 + random.IntN(20),
					Partings: func() []int { return []int{len(shots), len(shots + question)} },
				})
			}
		}
	}
	return all
}

func TestStatesResumeWherePromptsPart(t *testing.T) {
	for _, test := range []struct {
		name     string
		requests []backends.Request
		repeated int // tokens that may be evaluated beyond the tree of prefixes and 5 % of it
	}{
		{"as the requests tell", subjectsWithShots(3, 30, 1), 0},
		{"in questions too", subjectsWithShots(2, 8, 10), 0},
		{"where nobody tells", untold(subjectsWithShots(3, 30, 1)), 3 * 500},
		{"all alike", subjectsWithShots(1, 1, 1)[:1], 0},
		{"again and again", slices.Repeat(subjectsWithShots(1, 1, 1), 9), 9},
	} {
		for i := range test.requests {
			test.requests[i].ID = fmt.Sprint(i)
		}
		for _, hybrid := range []bool{false, true} {
			for _, slots := range []int{1, 2, 5, 16} {
				t.Run(fmt.Sprintf("%s, hybrid %v, %d slots", test.name, hybrid, slots), func(t *testing.T) {
					e := statefulEngine{hybrid: hybrid}
					done := answered(t, &e, slots, 64, test.requests)
					checkTexts(t, done, test.requests)
					tree, total, evaluated := map[string]bool{}, 0, 0
					for _, r := range test.requests {
						for n := range len(r.Prompt) {
							tree[r.Prompt[:n+1]] = true
						}
						total += len(r.Prompt)
						evaluated += done[r.ID].Usage.PromptTokens - done[r.ID].Usage.ReusedTokens
					}
					slack := test.repeated
					if slots == 1 { // it keeps to its grid
						slack += len(test.requests) * ExactStep / 2
					}
					if bound := len(tree); evaluated < bound || evaluated > bound*105/100+slack {
						t.Errorf("%d of %d prompt tokens are evaluated, the tree of prefixes has %d", evaluated, total, bound)
					}
					t.Logf("%d of %d prompt tokens are evaluated, the tree of prefixes has %d; %d states were kept",
						evaluated, total, len(tree), e.saved)
				})
			}
		}
	}
}

// untold returns the requests without a word of what they share.
func untold(requests []backends.Request) []backends.Request {
	for i := range requests {
		requests[i].Partings = nil
	}
	return requests
}

func TestAStateIsNotTrustedAfterAFailure(t *testing.T) {
	requests := subjectsWithShots(2, 9, 1)
	broken := failing(requests)
	for _, hybrid := range []bool{false, true} {
		for _, slots := range []int{1, 4, 16} {
			e := statefulEngine{hybrid: hybrid}
			e.onDecode = failsAt(errors.New("no memory for this"))
			checkTexts(t, answered(t, &e, slots, 64, requests), requests, broken...)
		}
	}
}
