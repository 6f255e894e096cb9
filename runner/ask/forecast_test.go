package ask_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/runner/ask"
	"proctor/runner/journal"
	"proctor/scripts/tests/errortest"
)

// A seer is a scripted model that knows its speed, and must not be asked.
type seer struct {
	scripted.Model
	context  int
	duration time.Duration
}

func (s *seer) Forecast(_ context.Context, w backends.Workload) (backends.Forecast, error) {
	if s.context < w.PromptTokens {
		return backends.Forecast{}, errors.New("a context that is too small")
	}
	return backends.Forecast{
		Allocation: backends.Allocation{Context: s.context, Weights: 2 << 30, Description: "as it was foreseen"},
		Duration:   s.duration, Source: "the stars",
	}, nil
}

func (s *seer) Plan(context.Context, backends.Workload) (backends.Allocation, error) {
	return backends.Allocation{}, errors.New("planned")
}

func TestAForecastSaysWhatARunWouldDo(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	forecast := func(model backends.Model, out string) (*ask.Forecast, error) {
		s := sessionOf(t, out, 2, "binary,mcq_math")
		return ask.Foresee(t.Context(), s.Options, s.asked, func(context.Context, backends.EngineInfo) (backends.Model, error) { return model, nil })
	}
	model := &seer{context: 1 << 20, duration: 90 * time.Second}
	model.Fail = func(backends.Request) *scripted.Error { t.Error("the model was asked"); return nil }
	f, err := forecast(model, out)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := ask.ForecastFormats[0].Write(&text, f); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"First prompt · mmlu_pro_binary/", "The following are multiple choice questions", "Task mmlu_pro_binary\n", "Task mmlu_pro_math\n",
		"2 questions", "as it was foreseen", "about 90 s", "for the largest task; the stars", filepath.Join(out, "mmlu_pro_math", "journal.jsonl"),
		filepath.Join(out, "mmlu_pro_binary", "report.txt"), "at most 64 tokens each", "binary@1",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not said in %s", want, text.String())
		}
	}
	if ids, err := model.Tokenize(f.Tasks[0].First.Text); err != nil || len(ids) != f.Tasks[0].First.Tokens {
		t.Errorf("the first prompt has %d tokens, not %d", len(ids), f.Tasks[0].First.Tokens)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
	model.duration = 0
	if f, err = forecast(model, out); err != nil || f.Seconds.Defined() {
		t.Errorf("%v, %v", f.Seconds, err)
	}
	model.context = 10
	if f, err = forecast(model, out); err == nil {
		t.Errorf("prompts that do not fit are foreseen: %+v", f)
	}
	model.context = 1 << 20
	begun := filepath.Join(out, "mmlu_pro_math")
	if err := os.MkdirAll(begun, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(journal.File(begun), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := forecast(model, out); err != nil {
		t.Errorf("over a file without a header: %v", err)
	}
	if err := os.WriteFile(journal.File(begun), []byte("someone's notes\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = forecast(model, out)
	errortest.For(t, "over a journal", err, "there is a journal already")
}
