package llamacpp_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/backendtest"
	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/llamatest"
	"proctor/scripts/tests/sharedtest"
)

// sums asks the model that thinks for the last digits of sums, of more and more digits.
func sums(budgets []int, sampling backends.Sampling) (requests []backends.Request, golds []string) {
	const ask = "<|user|>\nThe following are multiple choice questions (with answers) about math. Think step by step and then finish your " +
		"answer with \"the answer is (X)\" where X is the correct letter choice.\n\n\n\nQuestion:\nWhat is the last digit of %s?\nOptions:\n" +
		"%sAnswer: Let's think step by step.<|end|>\n<|assistant|>\n"
	var options strings.Builder
	for i, letter := range "ABCDEFGHIJ" {
		fmt.Fprintf(&options, "%c. %d\n", letter, i)
	}
	for i := range 40 {
		sum, digits := 0, []string{}
		for k := range 2 + i%5 {
			n := (7*i + 3*k + i*k*k) % 10
			sum, digits = sum+n, append(digits, fmt.Sprint(n))
		}
		requests = append(requests, backends.Request{
			ID: fmt.Sprint(i), Prompt: fmt.Sprintf(ask, strings.Join(digits, "+"), options.String()), MaxTokens: 16, Sampling: sampling,
			Budget: &backends.Budget{Tokens: budgets, Way: backends.Tags},
		})
		golds = append(golds, fmt.Sprintf("The answer is (%c).", 'A'+sum%10))
	}
	return requests, golds
}

// answered asks a model and returns what came of each request.
func answered(t *testing.T, m *llamacpp.Model, requests []backends.Request) map[string]backends.Completion {
	t.Helper()
	all := backendtest.Answers(t, m, requests, nil)
	for id, c := range all {
		assert.Check(t, c.Finish != backends.FinishError, "%s: %s", id, c.Error)
	}
	return all
}

func TestForksAreTheTextsOfSeparateRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "thinker.gguf")
	assert.NilError(t, llamatest.WriteThinker(path))
	budgets := []int{0, 4, 12, 20, 40}
	for name, sampling := range map[string]backends.Sampling{
		"greedy": {}, "drawn": {Temperature: 0.9, Seed: 3}, "drawn with penalties": {Temperature: 0.9, Seed: 3, PresencePenalty: 0.2},
	} {
		for _, slots := range sharedtest.Few(1, []int{6, 1}) {
			t.Run(fmt.Sprintf("%s in %d slots", name, slots), func(t *testing.T) {
				m, err := llamacpp.Open(t.Context(), llamacpp.Options{Settings: backends.Settings{Slots: slots, Threads: 1,
					Context: 384}, Path: path})
				assert.NilError(t, err)
				defer m.Close()
				requests, golds := sums(budgets, sampling)
				forked := answered(t, m, requests)
				var rights []int
				for _, budget := range budgets {
					right, forks := 0, 0
					alone, _ := sums([]int{budget}, sampling)
					for id, c := range answered(t, m, alone) {
						whole := forked[id]
						text, tokens := whole.Text, whole.Usage.OutputTokens
						for _, f := range whole.Forks {
							if f.Budget == budget {
								text, tokens = f.Whole(whole.Text), f.OutputTokens
								forks++
							}
						}
						assert.Check(t, text == c.Text && tokens == c.Usage.OutputTokens,
							"%s at %d: forked %q, alone %q", id, budget, text, c.Text)
						n := 0
						fmt.Sscan(id, &n)
						if strings.HasSuffix(c.Text, golds[n]) {
							right++
						}
					}
					assert.Check(t, budget >= 12 || forks >= 20, "%d forks at %d are too few for a test", forks, budget)
					rights = append(rights, right)
				}
				assert.Check(t, name != "greedy" || rights[0] <= 12 && slices.IsSorted(rights[1:]) && rights[4] >= 36,
					"%d of 40 are right with budgets of %d: no curve", rights, budgets)
			})
		}
	}
}
