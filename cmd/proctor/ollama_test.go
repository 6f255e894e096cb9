package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ollama/ollama/api"

	"proctor/backends/embedded"
	"proctor/backends/llamacpp"
	"proctor/backends/ollama/ollamatest"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/metrics"
)

// control starts a real server that holds the control model, for the runs that follow. Without flash attention it reads
// long prompts seven times as fast on a CPU.
func control(t *testing.T, parallel int) *ollamatest.Server {
	t.Helper()
	s := ollamatest.New(t, ollamatest.Options{Parallel: parallel, Env: []string{"OLLAMA_FLASH_ATTENTION=0"}})
	if err := s.Create(t.Context(), "control", modelPath(t), ""); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OLLAMA_HOST", s.Host())
	t.Setenv("OLLAMA_MODELS", s.Models())
	return s
}

// TestOllamaAnswersAsTheEngineDoes asks the same file the whole sample twice, by a real server and in-process,
// one item at a time and greedily. The texts differ where the model writes bytes that are no UTF-8: Ollama leaves out such
// a piece of text, the engine writes U+FFFD.
func TestOllamaAnswersAsTheEngineDoes(t *testing.T) {
	server := control(t, 1)
	folder := t.TempDir()
	served, inProcess := filepath.Join(folder, "served"), filepath.Join(folder, "in-process")
	run(t, "run", "--quiet", "--threads", "1", "--model", "ollama:control", "--out", served, "--concurrency", "1")
	run(t, "run", "--quiet", "--threads", "1", "--model", modelPath(t), "--out", inProcess, "--slots", "1")

	theirs, ours := loaded(t, served), loaded(t, inProcess)
	if theirs.Header.Model.FileSHA256 != ours.Header.Model.FileSHA256 || ours.Header.Model.FileSHA256 != embedded.Digest() {
		t.Errorf("the server ran the file %s, the engine %s", theirs.Header.Model.FileSHA256, ours.Header.Model.FileSHA256)
	}
	prompts := compareItems(t, theirs, ours)
	compareTokens(t, server, prompts)
	compareReports(t, served, inProcess)
}

// compareItems demands the same prompts with the same numbers of tokens, and the same letter in 19 items of 20. It
// returns the prompts.
func compareItems(t *testing.T, theirs, ours *journaltest.Journal) (prompts []string) {
	t.Helper()
	rules, err := grade.Lookup(ours.Header.RuleSet)
	if err != nil {
		t.Fatal(err)
	}
	records := map[string]journal.Record{}
	for _, r := range theirs.Records {
		records[r.ID] = r
	}
	same, verbatim := 0, 0
	for _, our := range ours.Records {
		their, there := records[our.ID]
		prompt := ours.Header.Preambles[our.Subject] + our.Prompt
		prompts = append(prompts, prompt)
		if !there || theirs.Header.Preambles[their.Subject]+their.Prompt != prompt || their.Usage.PromptTokens != our.Usage.PromptTokens {
			t.Errorf("%s: the server got another prompt (%d tokens, %d in-process)",
				our.ID, their.Usage.PromptTokens, our.Usage.PromptTokens)
		}
		theirMark, ourMark := rules.Mark(&theirs.Header, &their), rules.Mark(&ours.Header, &our)
		if theirMark.Letter == ourMark.Letter {
			same++
		}
		if their.Text == our.Text {
			verbatim++
		} else {
			t.Logf("%s: by the server %q, in-process %q", our.ID, their.Text, our.Text)
		}
	}
	n := len(ours.Records)
	t.Logf("%d items: %d with the same letter, %d with the same text", n, same, verbatim)
	if len(records) != n || same*20 < n*19 {
		t.Errorf("%d of %d items have the same letter (%d from the server), at least 95 %% must", same, n, len(records))
	}
	return prompts
}

// compareTokens asks the server itself which tokens it reads for some of the prompts.
func compareTokens(t *testing.T, server *ollamatest.Server, prompts []string) {
	t.Helper()
	vocabulary, err := llamacpp.OpenVocabulary(modelPath(t), "")
	if err != nil {
		t.Fatal(err)
	}
	defer vocabulary.Close()
	for i := 0; i < len(prompts); i += 12 {
		want, err := vocabulary.Tokenize(prompts[i])
		if err != nil {
			t.Fatal(err)
		}
		// Raw answers say how many tokens were read, the BOS token with them; the others which, without it.
		read := generate(t, server, prompts[i], true).PromptEvalCount
		if read != len(want) {
			t.Errorf("prompt %d: the server read %d tokens, ours are %d", i, read, len(want))
		}
		context := generate(t, server, prompts[i], false).Context // the answer's tokens follow
		ids := make([]int32, len(context))
		for j, id := range context {
			ids[j] = int32(id)
		}
		whole := len(want) - 1 // the last token may be joined with the answer's first
		if len(ids) < whole-1 || !slices.Equal(ids[:whole-1], want[1:whole]) {
			t.Errorf("prompt %d: the server's tokens are %v, ours %v", i, ids, want)
		}
	}
}

// generate asks the server for one token.
func generate(t *testing.T, server *ollamatest.Server, prompt string, raw bool) (last api.GenerateResponse) {
	t.Helper()
	err := server.Client().Generate(t.Context(), &api.GenerateRequest{
		Model: "control", Prompt: prompt, Raw: raw, Template: template(raw),
		Options: map[string]any{"num_predict": 1, "num_ctx": 4096, "num_thread": 1},
	}, func(r api.GenerateResponse) error {
		last = r
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return last
}

// template has the server add nothing to a prompt that is not raw.
func template(raw bool) string {
	if raw {
		return ""
	}
	return "{{ .Prompt }}"
}

// compareReports demands as many answers, within 1 %, and intervals of the accuracy that overlap.
func compareReports(t *testing.T, served, inProcess string) {
	t.Helper()
	theirs, err := metrics.Open(served, metrics.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ours, err := metrics.Open(inProcess, metrics.Options{})
	if err != nil {
		t.Fatal(err)
	}
	shown := fmt.Sprintf("by the server %d of %d answered, accuracy in %+v; in-process %d of %d, %+v",
		theirs.Answered, theirs.Items, theirs.CI, ours.Answered, ours.Items, ours.CI)
	t.Log(shown)
	apart := theirs.Answered - ours.Answered
	if theirs.Items != ours.Items || max(apart, -apart)*100 > ours.Items {
		t.Error("not as many answers:", shown)
	}
	if theirs.CI.High < ours.CI.Low || ours.CI.High < theirs.CI.Low {
		t.Error("the intervals do not overlap:", shown)
	}
}
