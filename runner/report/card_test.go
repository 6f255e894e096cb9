package report

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
	"proctor/runner/report/page"
)

// metadataOf reads the metadata of a card, and returns what follows it.
func metadataOf(t *testing.T, card string) (index modelIndex, text string) {
	t.Helper()
	front, text, found := strings.Cut(strings.TrimPrefix(card, "---\n"), "\n---\n")
	if !found || !strings.HasPrefix(card, "---\n") {
		t.Fatalf("no metadata in\n%s", card)
	}
	if err := yaml.Load([]byte(front), &index, yaml.WithKnownFields()); err != nil {
		t.Fatalf("%v in\n%s", err, front)
	}
	return index, text
}

func TestACardOfSeveralRunsHasOneIndex(t *testing.T) {
	format, err := page.Chosen(Formats, Full, "", "README.card.md", false)
	if err != nil || format.Name != cardFormat || !InOneDocument(format) {
		t.Fatalf("%s %v", format.Name, err)
	}
	var reports []*metrics.Summary
	for _, name := range []string{"mcq", "binary", "circular"} {
		h, records := journaltest.Examples()[name]()
		h.Dataset.Name, h.Dataset.Published = "exam", "TIGER-Lab/MMLU-Pro"
		reports = append(reports, mustBuild(t, h, records, metrics.Options{}))
	}
	other := *reports[0]
	other.Model.Name = "other"
	var out bytes.Buffer
	if err := WriteSeveral(&out, format, append(reports, &other)); err != nil {
		t.Fatal(err)
	}
	index, text := metadataOf(t, out.String())
	if len(index.Models) != 2 || len(index.Models[0].Results) != 3 || len(index.Models[1].Results) != 1 {
		t.Fatalf("%d models in\n%s", len(index.Models), out.String())
	}
	for i, result := range index.Models[0].Results {
		h := reports[i].Headline
		if got := result.Metrics[0]; got.Type != h.Name || math.Abs(got.Value-100*h.Value.Or(-1)) > 0.005 {
			t.Errorf("%s: %s %g, not %g", reports[i].Task, got.Type, got.Value, 100*h.Value.Or(-1))
		}
		if result.Dataset.Type != "TIGER-Lab/MMLU-Pro" || result.Dataset.Name != "MMLU-Pro" {
			t.Errorf("the set is %+v", result.Dataset)
		}
	}
	if strings.Count(out.String(), "model-index:") != 1 || strings.Count(text, "\n| model |") != 1 {
		t.Errorf("not one index and one table in\n%s", out.String())
	}
}

// Only the questions' checksums say that a set is the published one.
func TestASetThatIsMerelyCalledMMLUProIsNotThePublishedOne(t *testing.T) {
	for name, test := range map[string]struct {
		set         journal.Dataset
		kind, title string
	}{
		"by its name":  {journal.Dataset{Name: "mmlu-pro"}, "mmlu-pro", "mmlu-pro (by name only)"},
		"by a part":    {journal.Dataset{Name: "my_MMLU_Pro_12"}, "my_MMLU_Pro_12", "my_MMLU_Pro_12 (by name only)"},
		"by questions": {journal.Dataset{Name: "exam", Published: "TIGER-Lab/MMLU-Pro"}, "TIGER-Lab/MMLU-Pro", "MMLU-Pro"},
		"by files, as old journals have it": {
			journal.Dataset{Name: "mmlu-pro", SHA256: "a2276d93ca46e62ca5a5b63278227cb9e6e6106f8f50c1473011cffc9367c74b"},
			"TIGER-Lab/MMLU-Pro", "MMLU-Pro",
		},
	} {
		h, records := journaltest.Examples()["mcq"]()
		h.Dataset = test.set
		var out bytes.Buffer
		s := mustBuild(t, h, records, metrics.Options{})
		if err := writeCard(&out, s); err != nil {
			t.Fatal(err)
		}
		index, text := metadataOf(t, out.String())
		d := index.Models[0].Results[0].Dataset
		if d.Type != test.kind || d.Name != test.title || !strings.Contains(text, "| "+test.title+" |") ||
			!strings.HasPrefix(documentOf(s).title(), test.title+", 60 of 62 items so far") {
			t.Errorf("%s: set %+v, title %q in\n%s", name, d, documentOf(s).title(), text)
		}
	}
}

func TestANameOnACardStaysAName(t *testing.T) {
	h, records := journaltest.Examples()["mcq"]()
	h.Model.Name = "a: [b]\n---\n# c | d \u202e\x1b[2J"
	var out bytes.Buffer
	if err := writeCard(&out, mustBuild(t, h, records, metrics.Options{})); err != nil {
		t.Fatal(err)
	}
	index, text := metadataOf(t, out.String())
	if got := index.Models[0].Name; !strings.HasPrefix(got, "a: [b]\n---\n# c | d \\u202e\\u001b[2J") {
		t.Errorf("named %q", got)
	}
	if strings.ContainsAny(out.String(), "\u202e\x1b") || strings.Contains(text, "\n# c") || strings.Contains(text, "\n---") {
		t.Errorf("a name does more than name in\n%s", text)
	}
}

func TestACardWithoutAScoreHasNoMetadata(t *testing.T) {
	h, records := journaltest.MCQ(3, func(int, int, string) journaltest.Answer {
		return journaltest.Answer{Failed: backends.CauseTimeout}
	})
	var out bytes.Buffer
	if err := writeCard(&out, mustBuild(t, h, records, metrics.Options{})); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "model-index") || !strings.Contains(out.String(), "3 failed") {
		t.Errorf("%s", out.String())
	}
}
