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
	run, err := results.Read(&h, journaltest.Stream(records), o.RuleSet)
	assert.NilError(t, err)
	r, err := metrics.Of(run, o)
	assert.NilError(t, err)
	return r
}

func TestWhatAReaderMustKnowFirstIsAtTheTop(t *testing.T) {
	h, records := journaltest.MCQ(10, func(q, _ int, gold string) journaltest.Answer {
		if q == 3 {
			return journaltest.Answer{Failed: backends.CauseTimeout}
		}
		return journaltest.Answer{Letter: gold}
	})
	h.Selection.Items = 14
	var out bytes.Buffer
	assert.NilError(t, fullPage(mustBuild(t, h, records, metrics.Options{})).Text(&out))
	lines := strings.Split(out.String(), "\n")
	for i, want := range []string{
		"Bundled sample, 10 of 14 items so far · tiny Q4_K_M · 10 questions",
		"! bundled sample: not MMLU-Pro; for trying out only",
		"! incomplete: 9 of 14 items have a completion, 1 failed, 4 not asked yet; run it again with --resume",
	} {
		assert.Check(t, lines[i] == want, "line %d: %q, want %q", i+1, lines[i], want)
	}
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
	var out bytes.Buffer
	err := shortPage(nothing).Text(&out)
	assert.Check(t, err == nil && strings.TrimSpace(out.String()) == strings.TrimSpace(want), "%v: %s", err, out.String())
	sections := fullPage(nothing).Sections
	assert.Check(t, len(sections) == 1 && sections[0].Title == "Run", "in full: %+v", sections)
	out.Reset()
	if err := writeHTML(&out, nothing); err != nil || strings.Contains(out.String(), ">n/a") || strings.Contains(out.String(), ": n/a") {
		t.Errorf("a file for a browser: %v", err)
	}
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
		var out bytes.Buffer
		assert.NilError(t, shortPage(mustBuild(t, h, records, metrics.Options{})).Text(&out))
		assert.Check(t, strings.Contains(out.String(), test.says) && strings.Count(out.String(), "--max-tokens") == test.lines,
			"%s:\n%s", name, out.String())
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
			var out bytes.Buffer
			assert.NilError(t, page.Text(&out))
			text := strings.Join(strings.Fields(out.String()), " ")
			assert.Check(t, strings.Contains(text, says) == (want != "") && strings.Contains(text, want), "%d, %s: no %q in\n%s", doubtful, name,
				want, out.String())
			assert.Equal(t, strings.HasPrefix(text, "Not a valid score: 21 of 100 answers are found by last-capital alone"), doubtful > 20, name)
		}
	}
}

func TestARunThatIsNotShownToBeatGuessingSaysWhatWouldShowIt(t *testing.T) {
	for name, test := range map[string]struct {
		right, rows int // of 20 questions with 3 to 10 options
		says        string
	}{
		"nearly": {7, 12032, `\(p = 0\.\d+, two-sided\); at this score about \d+ fresh questions ` +
			`\(another --seed\) would show it \(80 % power, \d+ s\)`},
		"of too small a set": {6, 20, `would show it \(80 % power\), which is more than this set has`},
		"as by guessing":     {3, 12032, "; at this score no number of questions that can be asked would show it"},
		"none right":         {0, 12032, `worse than guessing \(p = 0\.0\d+, two-sided\)\n`},
		"better":             {19, 12032, `better than guessing \(p < 0\.0001, two-sided\)\n`},
	} {
		h, records := journaltest.MCQ(20, func(q, options int, gold string) journaltest.Answer {
			if q < test.right {
				return journaltest.Answer{Letter: gold}
			}
			return journaltest.Answer{Letter: journaltest.Letter((int(gold[0]-'A') + 1) % options)}
		})
		h.Dataset.Rows = test.rows
		s := mustBuild(t, h, records, metrics.Options{})
		var out, drawn bytes.Buffer
		assert.NilError(t, errors.Join(fullPage(s).Text(&out), writeHTML(&drawn, s)))
		_, would, open := strings.Cut(regexp.MustCompile(test.says).FindString(out.String()), "; i")
		if open && !strings.Contains(drawn.String(), "I"+would) {
			t.Errorf("%s: no %q in the HTML report", name, "I"+would)
		}
		assert.Check(t, regexp.MustCompile(test.says).MatchString(out.String()), "%s: no %q in\n%s", name, test.says, out.String())
	}
}

// The first screen says how many more questions are needed, if the set has them.
func TestTheFirstScreenSaysWhatCanBeDoneAboutAnOpenVerdict(t *testing.T) {
	for rows, want := range map[int]string{12032: "fresh questions (another --seed) would show it", 20: ""} {
		h, records := journaltest.MCQ(20, func(q, options int, gold string) journaltest.Answer {
			if q < 7 {
				return journaltest.Answer{Letter: gold}
			}
			return journaltest.Answer{Letter: journaltest.Letter((int(gold[0]-'A') + 1) % options)}
		})
		h.Dataset.Rows = rows
		text := document{Summary: mustBuild(t, h, records, metrics.Options{})}.shortVerdict()
		assert.Check(t, strings.HasPrefix(text, "not shown to be better than guessing (p = 0."), text)
		assert.Check(t, strings.Contains(text, "would show it") == (want != "") && strings.Contains(text, want), "%d rows: %s", rows, text)
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
	var a, b bytes.Buffer
	for _, format := range Formats {
		a.Reset()
		b.Reset()
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

// asText is a run's report as text.

func TestFiguresOfWholeQuestionsSayThatTheyCountSittings(t *testing.T) {
	for name, head := range map[string]string{"binary": "of 72 repeats of a question", "circular": "of 33 repeats of a question"} {
		h, records := journaltest.Examples()[name]()
		h, records = journaltest.Again(h, records, 3, nil)
		var out bytes.Buffer
		assert.NilError(t, fullPage(mustBuild(t, h, records, metrics.Options{})).Text(&out))
		assert.Check(t, strings.Contains(out.String(), head), "%s: no %q in\n%s", name, head, out.String())
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
		var out strings.Builder
		assert.NilError(t, shortPage(mustBuild(t, h, records, metrics.Options{})).Text(&out))
		assert.Check(t, strings.Contains(out.String(), want) == test.told, "%s: %s", name, out.String())
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
