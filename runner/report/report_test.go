package report

import (
	"bytes"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/results"
	"proctor/runner/report/page"
	"proctor/scripts/tests/errortest"
)

func init() { errortest.SpellFlags() }

func mustBuild(t testing.TB, h journal.Header, records []journal.Record, o metrics.Options) *metrics.Summary {
	t.Helper()
	run, err := results.Open(journaltest.Keep(t, t.TempDir(), h, records), o.RuleSet)
	assert.NilError(t, err)
	r, err := metrics.Of(run, o)
	assert.NilError(t, err)
	return r
}

func textOf(t *testing.T, p page.Page) string {
	t.Helper()
	var out strings.Builder
	assert.NilError(t, p.Text(&out))
	return out.String()
}

func TestWhatAReaderMustKnowFirstIsAtTheTop(t *testing.T) {
	h, records := journaltest.MCQ(10, func(q, _ int, gold string) journaltest.Answer {
		if q == 3 {
			return journaltest.Answer{Failed: backends.CauseTimeout}
		}
		return journaltest.Answer{Letter: gold}
	})
	h.Selection.Items = 14
	lines := strings.Split(textOf(t, fullPage(mustBuild(t, h, records, metrics.Options{}))), "\n")
	assert.DeepEqual(t, lines[:3], []string{
		"Bundled sample, 10 of 14 items so far · tiny Q4_K_M · 10 questions",
		"! bundled sample: not MMLU-Pro; for trying out only",
		"! incomplete: 9 of 14 items have a completion, 1 failed, 4 not asked yet; run it again with --resume",
	})
	h.Dataset.Name, h.Dataset.Published, h.Selection.Items = "mmlu-pro", "TIGER-Lab/MMLU-Pro", 9
	whole := mustBuild(t, h, append(records[:3:3], records[4:]...), metrics.Options{})
	assert.Check(t, len(whole.About(metrics.AboutRun)) == 0 && whole.Completeness.Complete,
		"a whole run of the real set has notices: %q", whole.About(metrics.AboutRun))
}

func TestARunWithoutAnAnswerHasNoFigures(t *testing.T) {
	h, _ := journaltest.MCQ(1, func(int, int, string) journaltest.Answer { return journaltest.Answer{} })
	h.Selection.Items, h.Dataset.Subjects = 14, 14
	nothing := mustBuild(t, h, nil, metrics.Options{})
	want := "Bundled sample, 0 of 14 items so far · tiny Q4_K_M · 0 questions\n! bundled sample: not MMLU-Pro; for trying out only\n" +
		"! incomplete: 0 of 14 items have a completion, 14 not asked yet; run it again with --resume\n  everything: proctor report RUN --full"
	assert.Equal(t, strings.TrimSpace(textOf(t, shortPage(nothing))), want)
	var drawn strings.Builder
	assert.NilError(t, writeHTML(&drawn, nothing))
	sections := fullPage(nothing).Sections
	assert.Check(t, len(sections) == 1 && sections[0].Title == "Run", "in full: %+v", sections)
	assert.Check(t, !regexp.MustCompile("[>:] ?n/a").MatchString(drawn.String()), "a file for a browser")
}

func TestTheShortReportSaysOnceThatTheCapEndedAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		cut   int // of 100 answers
		says  string
		lines int // lines that name the flag
	}{
		"many, without a letter": {40, "Not a valid score: 40 of 100 answers were cut at 2,048 tokens; run again with --max-tokens ", 1},
		"some, with a letter":    {10, "! the token cap of 2,048 ended 10.00 % of the completions", 1},
	} {
		h, records := journaltest.MCQ(100, func(q, _ int, gold string) journaltest.Answer {
			if q%100 >= test.cut {
				return journaltest.Answer{Letter: gold}
			}
			if test.cut == 40 {
				gold = ""
			}
			return journaltest.Answer{Letter: gold, Capped: true}
		})
		h.Model.ContextLength = 0
		text := textOf(t, shortPage(mustBuild(t, h, records, metrics.Options{})))
		assert.Check(t, strings.Contains(text, test.says) &&
			strings.Count(text, "--max-tokens") == test.lines, "%s:\n%s", name, text)
	}
}

// Letters that only the weakest rule finds are mentioned beside the score, in short and in full.
func TestAnswersByTheWeakestRuleStandBesideTheScore(t *testing.T) {
	const says = "of the answers are found by last-capital alone"
	for doubtful, want := range map[int]string{4: "", 5: "5.00 % " + says, 20: "20.00 % " + says, 21: "21.00 % " + says} {
		h, records := journaltest.MCQ(100, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
		for i := range doubtful {
			records[i].Text = "It is vitamin " + records[i].Gold
		}
		s := mustBuild(t, h, records, metrics.Options{})
		for name, page := range map[string]page.Page{"short": shortPage(s), "full": fullPage(s)} {
			text := strings.Join(strings.Fields(textOf(t, page)), " ")
			assert.Check(t, strings.Contains(text, says) == (want != "") && strings.Contains(text, want), "%d, %s: no %q in\n%s", doubtful, name,
				want, text)
			assert.Equal(t, strings.HasPrefix(text, "Not a valid score: 21 of 100 answers are found by last-capital alone"), doubtful > 20, name)
		}
	}
}

func TestARunThatIsNotShownToBeatGuessingSaysWhatWouldShowIt(t *testing.T) {
	const shown, open = "not shown to be better than guessing (p = 0.", "fresh questions (another --seed) would show it"
	for name, test := range map[string]struct {
		right, rows int    // of 20 questions with 3 to 10 options
		says        string // in full
		first, html string // the beginning of what the first screen says, and what a browser shows
	}{
		"nearly": {7, 12032, `\(p = 0\.\d+, two-sided\); at this score about \d+ fresh questions ` +
			`\(another --seed\) would show it \(80 % power, \d+ s\)`, shown, "35.00 %: not shown to be better than guessing."},
		"of too small a set": {6, 20, `would show it \(80 % power\), which is more than this set has`, shown,
			"At this score about "},
		"as by guessing": {3, 12032, "; at this score no number of questions that can be asked would show it", shown,
			"At this score no number of questions that can be asked would show it."},
		"none right": {0, 12032, `worse than guessing \(p = 0\.0\d+, two-sided\)\n`, "worse than guessing (p = 0.",
			" 0.00 %: worse than guessing."},
		"better": {19, 12032, `better than guessing \(p < 0\.0001, two-sided\)\n`, "better than guessing (p < 0.0001)",
			"95.00 %: better than guessing."},
	} {
		h, records := journaltest.MCQ(20, func(q, options int, gold string) journaltest.Answer {
			if q < test.right {
				return journaltest.Answer{Letter: gold}
			}
			return journaltest.Answer{Letter: journaltest.Letter((int(gold[0]-'A') + 1) % options)}
		})
		h.Dataset.Rows = test.rows
		s := mustBuild(t, h, records, metrics.Options{})
		var drawn strings.Builder
		assert.NilError(t, writeHTML(&drawn, s))
		assert.Check(t, is.Regexp(test.says, textOf(t, fullPage(s))), name)
		assert.Check(t, is.Contains(drawn.String(), test.html), name)
		assert.Check(t, is.Equal(strings.Contains(drawn.String(), "At this score "), test.first == shown), name)
		first := document{Summary: s}.shortVerdict()
		assert.Check(t, strings.HasPrefix(first, test.first) &&
			strings.Contains(first, open) == (name == "nearly"), "%s: %s", name, first)
	}
}

func TestAReportIsMadeFromAJournalOnDisk(t *testing.T) {
	h, records := journaltest.Examples()["mcq"]()
	path := journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), h, journaltest.Shuffled(records))
	fromDisk, err := metrics.Open(path, metrics.Options{})
	assert.NilError(t, err)
	inMemory := mustBuild(t, h, records, metrics.Options{})
	inMemory.Run.Fingerprint = fromDisk.Run.Fingerprint // the writer sets it
	inMemory.Path, inMemory.Marked = fromDisk.Path, fromDisk.Marked
	for _, format := range Formats {
		var a, b bytes.Buffer
		assert.NilError(t, errors.Join(format.Write(&a, fromDisk), format.Write(&b, inMemory)))
		assert.Check(t, bytes.Equal(a.Bytes(), b.Bytes()), "%s differs between disk and memory", format.Name)
	}
	_, err = metrics.Open(filepath.Join(t.TempDir(), "nothing"), metrics.Options{})
	assert.Check(t, err != nil, "a run that is not there has a report")
}

func TestAFailingWriterIsReported(t *testing.T) {
	h, records := journaltest.Examples()["binary"]()
	r := mustBuild(t, h, records, metrics.Options{})
	for _, format := range Formats {
		err := format.Write(full{}, r)
		assert.Check(t, err != nil, "%s: a full disk goes unnoticed", format.Name)
	}
	_, err := Formats.Named("pdf")
	errortest.For(t, "an unknown format", err, "text, markdown, json, csv, html")
}

func TestFiguresOfWholeQuestionsSayThatTheyCountSittings(t *testing.T) {
	for name, head := range map[string]string{"binary": "of 72 repeats of a question", "circular": "of 33 repeats of a question"} {
		h, records := journaltest.Examples()[name]()
		h, records = journaltest.Again(h, records, 3, nil)
		assert.Check(t, is.Contains(textOf(t, fullPage(mustBuild(t, h, records, metrics.Options{}))), head), name)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestWhatComputedARunIsToldAndWhetherSlotsMatter(t *testing.T) {
	const amx = "avx512 for 1 token, amx for more"
	with := func(by string) string {
		return "they depend on the number of slots: with " + by + ", sums are rounded otherwise beside other tokens"
	}
	const steady = "they do not depend on the number of slots"
	two := []string{"CUDA0", "CUDA1"}
	for _, test := range []struct {
		engine      backends.EngineInfo
		want, texts string
	}{
		{backends.EngineInfo{}, "", ""},
		{backends.EngineInfo{Name: "ollama", GPULayers: 17}, "17 layers on the GPU", ""},
		{backends.EngineInfo{Kernels: "ggml"}, "ggml's kernels", with("ggml's kernels")},
		{backends.EngineInfo{Kernels: "proctor"}, "proctor's kernels", steady}, // as older journals have it
		{backends.EngineInfo{Kernels: "proctor", Loaded: true}, "proctor's kernels", ""},
		{backends.EngineInfo{Kernels: "proctor", KernelLevel: "avx512"}, "proctor's kernels (avx512: chosen by the CPU)", steady},
		{backends.EngineInfo{Kernels: "proctor", KernelLevel: "avx2", LevelForced: true, Multiplying: "avx2"},
			"proctor's kernels (avx2: forced)", steady},
		{backends.EngineInfo{Kernels: "proctor", KernelLevel: "amx", Multiplying: amx},
			"proctor's kernels (amx: chosen by the CPU; products: " + amx + ")", steady},
		{backends.EngineInfo{Kernels: "proctor", KernelLevel: "amx", GPULayers: 33, Devices: two, Offloaded: true},
			"all layers on CUDA0 and CUDA1", with("CUDA0 and CUDA1")},
		{backends.EngineInfo{Kernels: "proctor", KernelLevel: "amx", Multiplying: amx, GPULayers: 9, Devices: two[:1], Loaded: true},
			"9 layers on CUDA0, the others with proctor's kernels (amx: chosen by the CPU; products: " + amx + ")", with("CUDA0")},
		{backends.EngineInfo{Kernels: "ggml", GPULayers: 9, Devices: two[:1]}, "9 layers on CUDA0, the others with ggml's kernels", with("CUDA0")},
	} {
		assert.Check(t, is.Equal(computes(test.engine), test.want), "%+v", test.engine)
		assert.Check(t, is.Equal(slotsMatter(test.engine), test.texts), "%+v", test.engine)
	}
}

// The first screen says what an unwanted fallback to ggml's kernels costs, unless GPUs compute.
func TestAFallbackToTheKernelsOfGGMLIsToldFirst(t *testing.T) {
	const want = "! llama.cpp v9 computes with ggml's kernels, about 3 to 5 times slower than proctor's, as measured with 5-shot prompts, " +
		"because it has no ggml_barrier"
	for name, test := range map[string]struct {
		because   string
		offloaded bool
		told      bool
	}{
		"asked for":   {},
		"a fallback":  {because: "it has no ggml_barrier", told: true},
		"all on GPUs": {because: "it has no ggml_barrier", offloaded: true},
	} {
		h, records := journaltest.Examples()["mcq"]()
		h.Backend.Version, h.Backend.Kernels = "llama.cpp v9", "ggml"
		h.Backend.KernelsBecause, h.Backend.Offloaded = test.because, test.offloaded
		text := textOf(t, shortPage(mustBuild(t, h, records, metrics.Options{})))
		assert.Check(t, strings.Contains(text, want) == test.told, "%s: %s", name, text)
	}
}

// Only the questions' checksums show that a set is the published one.
func TestASetThatIsMerelyCalledMMLUProIsNotThePublishedOne(t *testing.T) {
	for name, test := range map[string]struct {
		set   journal.Dataset
		title string
	}{
		"by its name":  {journal.Dataset{Name: "mmlu-pro"}, "mmlu-pro (by name only)"},
		"by a part":    {journal.Dataset{Name: "my_MMLU_Pro_12"}, "my_MMLU_Pro_12 (by name only)"},
		"by questions": {journal.Dataset{Name: "exam", Published: "TIGER-Lab/MMLU-Pro"}, "MMLU-Pro"},
	} {
		h, records := journaltest.Examples()["mcq"]()
		h.Dataset = test.set
		title := documentOf(mustBuild(t, h, records, metrics.Options{})).title()
		assert.Check(t, strings.HasPrefix(title, test.title+", 60 of 62 items so far"), "%s: title %q", name, title)
	}
}
