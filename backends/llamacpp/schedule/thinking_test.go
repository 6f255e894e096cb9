package schedule

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
)

// bracketed thinking is opened by prompts, and ends with a letter that comes by itself now and then.
var bracketed = backends.Thinking{Open: "<", Close: "q", Force: "#q!"}

// thoughtful returns requests that think with these budgets.
func thoughtful(budgets ...int) []backends.Request {
	requests := subjects(3, 6)
	for i := range requests {
		requests[i].Prompt += "<"
		requests[i].Budget = &backends.Budget{Tokens: budgets, Way: bracketed}
	}
	return requests
}

// budgeted is the text of a request with one budget by the shortest of loops, and whether its thinking was closed by force.
func budgeted(r backends.Request, budget int) (written string, closed bool) {
	tokens, _ := letters{}.Tokenize(r.Prompt)
	prompt, thought, ended, answer := len(tokens), 0, false, 0
	for answer < r.MaxTokens {
		next := following(tokens)
		if !ended && next != 'q' && thought == budget {
			closing := []int32{'#', 'q', '!'}
			tokens, ended, closed = append(tokens, closing...), true, true
			continue
		}
		if next == '.' {
			break
		}
		tokens = append(tokens, next)
		switch {
		case ended:
			answer++
		case next == 'q':
			ended = true
		default:
			thought++
		}
	}
	return text(tokens[prompt:]), closed
}

// With an engine whose sequences can be cut back, and with those that keep states.
func TestThinkingEndsAtItsBudgetAndForksAreSeparateRuns(t *testing.T) {
	budgets := []int{0, 3, 7, 12}
	forks, closed := 0, 0
	for i, e := range []scheduled{&fakeEngine{}, &fakeEngine{}, &statefulEngine{}, &statefulEngine{hybrid: true}} {
		done := answered(t, e, 1+3*(i%2), 64, thoughtful(budgets...))
		for _, r := range thoughtful(budgets...) {
			c := done[r.ID]
			if want, force := budgeted(r, 12); c.Text != want || c.Closed != force || c.Finish == backends.FinishError {
				t.Errorf("%s: %q, closed %t, want %q, %t: %s", r.ID, c.Text, c.Closed, want, force, c.Error)
			}
			for _, budget := range budgets[:3] {
				want, force := budgeted(r, budget)
				i := slices.IndexFunc(c.Forks, func(f backends.Fork) bool { return f.Budget == budget })
				switch {
				case i < 0 && (force || want != c.Text):
					t.Errorf("%s: no fork at %d, want %q", r.ID, budget, want)
				case i >= 0 && (!force || c.Forks[i].Whole(c.Text) != want):
					t.Errorf("%s: fork at %d: %q, want %q", r.ID, budget, c.Forks[i].Whole(c.Text), want)
				case i >= 0 && c.Forks[i].OutputTokens != len(want):
					t.Errorf("%s: fork at %d has %d tokens, want %d", r.ID, budget, c.Forks[i].OutputTokens, len(want))
				case i >= 0 && c.Forks[i].ThinkingTokens != budget+3:
					t.Errorf("%s: fork at %d has %d tokens of thinking", r.ID, budget, c.Forks[i].ThinkingTokens)
				}
			}
			forks += len(c.Forks)
			if c.Closed {
				closed++
			}
		}
	}
	assert.Check(t, forks >= 20 && closed >= 5, "%d forks and %d closed by force are too few for a test", forks, closed)
}

func TestAForkHasTheStopStringThatEndedIt(t *testing.T) {
	stopping := func(budgets ...int) []backends.Request {
		requests := thoughtful(budgets...)
		for i := range requests {
			requests[i].Stop = []string{"e", "a"}
		}
		return requests
	}
	stopped, alone := 0, answered(t, &fakeEngine{}, 2, 64, stopping(3))
	for id, c := range answered(t, &fakeEngine{}, 2, 64, stopping(3, 12)) {
		for _, f := range c.Forks {
			assert.Check(t, f.Stop == alone[id].Stop, "%s: the fork stopped at %q, want %q", id, f.Stop, alone[id].Stop)
			if f.Stop != "" {
				stopped++
			}
		}
	}
	assert.Check(t, stopped != 0, "no fork was stopped")
}

func TestAPredictionIsOfTheTokenThatIsTaken(t *testing.T) {
	requests, closed := thoughtful(7), 0
	for i := range requests {
		requests[i].Logprobs = 1
	}
	for id, c := range answered(t, &fakeEngine{}, 3, 64, requests) {
		var tokens []byte
		for _, p := range c.Predictions {
			tokens = append(tokens, byte(p.Token))
		}
		if written, _ := strings.CutSuffix(string(tokens), "."); written != c.Text {
			t.Errorf("%s: predictions of %q, and the text is %q", id, tokens, c.Text)
		}
		if c.Closed {
			closed++
		}
	}
	assert.Check(t, closed != 0, "no thinking was closed")
	requests = thoughtful(3, 7)[:1]
	requests[0].Logprobs = 1
	c := answered(t, &fakeEngine{}, 1, 64, requests)[requests[0].ID]
	assert.Check(t, strings.Contains(c.Error, "with several has no log-probabilities"), "%+v", c)
}

func TestForksDecodeNothingTwiceButTheMark(t *testing.T) {
	decoded := func(budgets ...int) int {
		e := &fakeEngine{}
		answered(t, e, 1, 64, thoughtful(budgets...))
		return e.decoded
	}
	answers := 0
	for _, r := range thoughtful(3, 12) {
		if written, closed := budgeted(r, 3); closed {
			answers += len(written) - 3
		}
	}
	one, two := decoded(12), decoded(3, 12)
	assert.Check(t, two <= one+answers, "%d tokens decoded with one budget, %d with two, whose answers have %d", one, two, answers)
}

func TestAForkThatCannotBeFails(t *testing.T) {
	whole := answered(t, &fakeEngine{}, 1, 64, thoughtful(2, 9))
	done := answered(t, &uncut{&fakeEngine{}}, 1, 64, thoughtful(2, 9))
	forked := 0
	for id, c := range done {
		switch {
		case len(whole[id].Forks) == 0 && c.Text != whole[id].Text:
			t.Errorf("%s: %q, want %q", id, c.Text, whole[id].Text)
		case len(whole[id].Forks) > 0:
			if forked++; c.Finish != backends.FinishError || c.Cause != backends.CauseEngine || len(c.Forks) > 0 {
				t.Errorf("%s: %+v", id, c)
			}
		}
	}
	assert.Check(t, forked != 0, "nothing forks")
}

// uncut refuses to cut a sequence back.
type uncut struct{ *fakeEngine }

func (e *uncut) Trim(sequence int32, from int) bool {
	return from == 0 && e.fakeEngine.Trim(sequence, from)
}

func TestAnOpenMarkIsNotOpenedAgain(t *testing.T) {
	mark := &thought{closing: []int32{'#', 'q', '!'}, job: &job{drawn: []int32{'a', '#'}}}
	if mark.shut(); !slices.Equal(mark.queue, []int32{'q', '!'}) {
		t.Errorf("%q", mark.queue)
	}
	mark.job.drawn = []int32{'#', 'a'}
	if mark.shut(); !slices.Equal(mark.queue, mark.closing) {
		t.Errorf("%q", mark.queue)
	}
}

func TestAnswersWithoutThinkingHaveTheirCap(t *testing.T) {
	r := backends.Request{ID: "1", Prompt: "question", MaxTokens: 5, Budget: &backends.Budget{Tokens: []int{3}, Way: bracketed}}
	done := answered(t, &fakeEngine{}, 1, 64, []backends.Request{r})
	plain := r
	plain.Budget = nil
	c := done["1"]
	assert.Check(t, c.Text == expected(plain) && !c.Closed && c.Usage.ThinkingTokens == 0, "%+v, want the text %q", c, expected(plain))
}
