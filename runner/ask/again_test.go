package ask_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/prompts/dataset"
	"proctor/runner/journal"
	"proctor/scripts/tests/errortest"
)

// lengths answers soon, after some 20 tokens, without a letter, or at length, as the prompt has it.
func lengths(r backends.Request) string {
	hash := fnv.New32a()
	hash.Write([]byte(r.Prompt))
	letter := 'A' + hash.Sum32()%8
	switch hash.Sum32() / 8 % 4 {
	case 0:
		return fmt.Sprintf(" The answer is (%c).\n\nQuestion:", letter)
	case 1:
		return fmt.Sprintf(" Weighing all the options, one of them remains. The answer is (%c).\n\nQuestion:", letter)
	case 2:
		return " Who knows?\n\nQuestion:"
	}
	return strings.Repeat(" On the other hand,", 40) + fmt.Sprintf(" the answer is (%c).\n\nQuestion:", letter)
}

// TestRaisingTheCapGivesTheRunUnderTheLargerCap asks runs again at random caps, stops that at random, goes on, and extends them.
func TestRaisingTheCapGivesTheRunUnderTheLargerCap(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 2))
	for round := range 4 {
		cmd := command{tasks: []string{"mmlu_pro", "mmlu_pro_math,mmlu_pro_binary_law"}[round%2], answer: lengths}
		cmd.selection = dataset.Selection{Seed: random.Uint64N(9), Limit: 6 + random.IntN(6)}
		cmd.settings.Repeats = 1 + round%3
		whole, raised := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
		small := cmd
		small.settings.MaxTokens = 4 + random.IntN(10)
		small.runs(t, raised)
		cmd.settings.MaxTokens = []int{40, 4000}[round/2%2]
		cmd.runs(t, whole)
		cmd.resume, cmd.again = true, true
		for range 3 { // stopped, and gone on with by the same command or by --resume alone
			cmd.stopAfter = 1 + random.IntN(3)
			cmd.runs(t, raised)
			if random.IntN(2) == 0 {
				cmd.again = false
			}
		}
		cmd.stopAfter = 0
		cmd.runs(t, raised)
		sameAnswers(t, fmt.Sprintf("round %d", round), whole, raised)
		told, err := cmd.in(t, raised)
		assert.Check(t, err == nil && !strings.Contains(told, "again"), "a run that is done says %q, %v", told, err)
		if round%2 == 0 {
			cmd.selection.Limit, cmd.again = cmd.selection.Limit+3, false
			told, err := cmd.in(t, raised)
			assert.Assert(t, err == nil && strings.Contains(told, "extends the run"), "told %q, %v", told, err)
			cmd.resume = false
			cmd.runs(t, whole+"r")
			sameAnswers(t, "extended", whole+"r", raised)
		}
	}
}

// sameAnswers compares runs but for what asking again adds: the first answers stay, and each line since then has its cap.
func sameAnswers(t *testing.T, name, whole, raised string) {
	t.Helper()
	for path, other := range inBoth(t, whole, raised) {
		a, b := load(t, path), load(t, other)
		texts := map[string]string{}
		for _, r := range a.Records {
			texts[r.ID] = r.Text
		}
		lines, twice := 0, 0
		reader, err := journal.Open(other)
		assert.NilError(t, err)
		for r, err := range reader.Records() {
			assert.NilError(t, err)
			lines++
			if r.Attempt > 1 {
				twice++
			}
			assert.Check(t, r.Attempt == 1 || r.MaxTokens == a.Header.Sampling.MaxTokens,
				"%s: %s was asked under a cap of %d (attempt %d)", name, r.ID, r.MaxTokens, r.Attempt)
		}
		reader.Close()
		for _, r := range b.Records {
			text, there := texts[r.ID]
			assert.Check(t, there && text == r.Text, "%s: %s is %q, %q under the larger cap from the start", name, r.ID, r.Text, text)
		}
		assert.Check(t, lines == len(a.Records)+twice && twice != 0 && len(a.Records) == len(b.Records),
			"%s: %d lines of %d items, %d asked twice, want %d items", name, lines, len(b.Records), twice, len(a.Records))
		f := summary(t, other).AskedAgain
		assert.Check(t, f != nil && f.Items == twice && !f.Mixed && f.Due == 0, "%s: %+v, %d", name, f, twice)
		x, y := timeless(t, path), timeless(t, other)
		for _, report := range []map[string]any{x, y} {
			delete(report, "asked_again")
			delete(report["run"].(map[string]any), "fingerprint")
		}
		assert.Check(t, reflect.DeepEqual(x, y), "%s: reports\n%v\n%v", name, x, y)
	}
}

func TestRefusalsToAskAgainSayWhy(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	cmd := command{tasks: "mmlu_pro", selection: dataset.Selection{Limit: 10}, answer: lengths}
	cmd.runs(t, out)
	cmd.resume, cmd.again = true, true
	cmd.settings.MaxTokens, cmd.selection.Limit = 32, 20
	_, err := cmd.in(t, out)
	errortest.For(t, "a larger limit", err, "again and a larger limit: ask again first, then extend the run")
	kept := load(t, out).Header
	assert.Check(t, len(kept.History) == 1 && kept.Sampling.MaxTokens == 16, "refusals changed the run: %+v", kept)
	held, valid := filepath.Join(t.TempDir(), "held"), filepath.Join(t.TempDir(), "valid")
	command{tasks: "mmlu_pro", selection: dataset.Selection{Limit: 10}, answer: varied}.runs(t, valid)
	cmd = command{tasks: "mmlu_pro", selection: dataset.Selection{Limit: 10}, answer: lengths,
		settings: decided(valid, 0.01)}
	cmd.runs(t, held)
	cmd.resume, cmd.again, cmd.settings.MaxTokens = true, true, 32
	_, err = cmd.in(t, held)
	errortest.For(t, "interim analyses", err, "again: the run's interim analyses decided by its first answers")
}

// TestNothingIsAskedAgainWhereTheCapCutNothing: a larger cap would change nothing, so it is not raised.
func TestNothingIsAskedAgainWhereTheCapCutNothing(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	cmd := command{tasks: "mmlu_pro", selection: dataset.Selection{Limit: 3},
		answer: func(backends.Request) string { return " So (A)." }}
	cmd.runs(t, out)
	before, err := os.ReadFile(journal.File(out))
	assert.NilError(t, err)
	cmd.resume, cmd.again, cmd.settings.MaxTokens = true, true, 32
	_, err = cmd.in(t, out)
	errortest.Says(t, err, "again: the cap cut nothing in "+out+", so a larger one changes nothing")
	after, err := os.ReadFile(journal.File(out))
	assert.Check(t, err == nil && string(after) == string(before), "the run changed: %v", err)
}

// TestATaskThatStartedUnderTheLargerCapDoesNotBlockOthers has two tasks, of which the second one had not begun when the first was
// asked again, and asks again twice.
func TestATaskThatStartedUnderTheLargerCapDoesNotBlockOthers(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	cmd := command{tasks: "mmlu_pro_math,mmlu_pro_law", selection: dataset.Selection{Limit: 3}, answer: lengths}
	cmd.runs(t, out)
	assert.NilError(t, os.RemoveAll(filepath.Join(out, "mmlu_pro_law")))
	cmd.resume, cmd.again, cmd.settings.MaxTokens = true, true, 32
	cmd.runs(t, out)
	cmd.runs(t, out)
	first, second := load(t, filepath.Join(out, "mmlu_pro_math")).Header, load(t, filepath.Join(out, "mmlu_pro_law")).Header
	assert.Check(t, len(first.History) == 2 && len(second.History) == 1 && second.Sampling.MaxTokens == 32, "%+v, %+v",
		first, second)
	assert.NilError(t, os.RemoveAll(filepath.Join(out, "mmlu_pro_math")))
	_, err := cmd.in(t, out)
	errortest.Says(t, err, "again asks under a larger cap than the run's: give max tokens with more than 32")
}
