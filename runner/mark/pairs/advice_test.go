package pairs

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/pairs/pairstest"
	_ "proctor/scripts/tests/settingtest"
)

// limited has a pairstest.Run drawn from a set of so many questions.
func limited(p pairstest.Run, of int) pairstest.Run {
	p.Header.Dataset.Rows = of
	return p
}

func TestAdviceEndsAtTheSet(t *testing.T) {
	a, b := pairstest.Two()
	for _, test := range []struct {
		name   string
		rows   int
		asked  int
		enough bool
		line   string
	}{
		{"a set with enough", 12032, 3400, true,
			"to decide it: 3,400 questions in each run, 3,000 more, enough (80 % power) if they are equally good"},
		{"a set that is just enough", 3340, 3340, true,
			"to decide it: 3,340 questions in each run, 2,940 more, enough (80 % power) if they are equally good"},
		{"a set with too few", 1600, 1600, false,
			"all 1,600 questions of the set are too few: precision ± 1.1 pp; 80 % power to detect 1.4 pp" +
				"; about 3,400 like these would decide it, 13 min more of both runs"},
		{"a set that was asked whole", 400, 400, false,
			"all 400 questions of the set are too few: precision ± 2.3 pp; 80 % power to detect 2.9 pp" +
				"; about 3,400 like these would decide it, 13 min more of both runs"},
	} {
		c := compared(t, Options{}, limited(a, test.rows), limited(b, test.rows))
		p := &c.Pairs[0]
		if p.Advice == nil {
			t.Fatalf("%s: no advice; %s", test.name, p.Verdict)
		}
		if p.Advice.Questions != test.asked || p.Advice.Set != test.rows || p.Advice.Enough != test.enough {
			t.Errorf("%s: %+v", test.name, p.Advice)
		}
		lines := p.Advice.Lines(p)
		if !strings.HasPrefix(lines[0], test.line) {
			t.Errorf("%s: %s", test.name, lines[0])
		}
		if again := len(p.Advice.Commands) > 0; again != (test.asked > 400) {
			t.Errorf("%s: commands %q", test.name, p.Advice.Commands)
		}
	}
	better := pairstest.MCQ("Q4_K_M", 400, func(q int) bool { return q < 330 })
	if p := compared(t, Options{}, a, better).Pairs[0]; p.Decision != Better || p.Advice != nil || p.MoreQuestions != 0 {
		t.Errorf("decided, and yet %+v", p.Advice)
	}
}

func TestAdviceNamesTheCommands(t *testing.T) {
	a, b := pairstest.Two()
	a.Header.Selection.Seed, b.Header.Selection.Seed = 7, 7
	b.Header.Flags = map[string][]string{"seed": {"7"}, "style": {"tiger@1"}, "limit": {"400"}, "stop": {"", "END", "}"}, "direct": {"true"}}
	p := compared(t, Options{Margin: 0.015}, a, b).Pairs[0]
	if p.Advice == nil || len(p.Advice.Commands) != 3 {
		t.Fatalf("%+v", p.Advice)
	}
	run, compare := p.Advice.Commands[1], p.Advice.Commands[2]
	for _, part := range []string{"proctor run --model Q4_K_M.gguf", "--tasks mmlu_pro", "--data mmlu-pro", "--limit 1500", "--seed 7",
		"--style tiger@1", "--direct --seed", "--stop END --stop '}'", "B-1500"} {
		if !strings.Contains(run, part) || strings.Count(run, "--limit") != 1 {
			t.Errorf("%s: no %s", run, part)
		}
	}
	if !strings.HasPrefix(compare, "proctor compare ") || !strings.HasSuffix(compare, "B-1500 --margin 1.5pp") {
		t.Error(compare)
	}
	// The pace of the runs says how long that takes.
	if want := 1500 * (seconds(a) + seconds(b)) / 400; math.Abs(p.Advice.Seconds.Or(0)-want) > 1e-6*want {
		t.Errorf("%v s, want %g", p.Advice.Seconds, want)
	}
	b.Header.Host.Cores = 0 // another harness's log
	if p := compared(t, Options{}, a, b).Pairs[0]; p.Advice == nil || p.Advice.Commands != nil {
		t.Errorf("%+v", p.Advice)
	}
}

// inFolders compares runs that lie as run leaves them.
func inFolders(t *testing.T, runs ...pairstest.Run) Pair {
	t.Helper()
	var folders []string
	for i, run := range runs {
		folder := filepath.Join(t.TempDir(), journaltest.Letter(i))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(run.Write(t, journaltest.Letter(i)), filepath.Join(folder, journal.FileName)); err != nil {
			t.Fatal(err)
		}
		folders = append(folders, folder)
	}
	c, err := Of(folders, Options{Margin: 0.015, Force: true})
	if err != nil || c.Pairs[0].Advice == nil || len(c.Pairs[0].Advice.Commands) != 3 {
		t.Fatalf("%+v, %v", c, err)
	}
	return c.Pairs[0]
}

func TestAdviceExtendsRunsThatCanBe(t *testing.T) {
	a, b := pairstest.Two()
	a.Header.Selection.Limit, b.Header.Selection.Limit = 400, 400
	p := inFolders(t, a, b)
	for i, form := range []string{`^proctor run --resume \S+/A --limit 1500$`, `^proctor run --resume \S+/B --limit 1500$`,
		`^proctor compare \S+/A \S+/B --margin 1\.5pp$`} {
		if !regexp.MustCompile(form).MatchString(p.Advice.Commands[i]) {
			t.Errorf("%s is not %s", p.Advice.Commands[i], form)
		}
	}
	if want := 1100 * (seconds(a) + seconds(b)) / 400; math.Abs(p.Advice.Seconds.Or(0)-want) > 1e-6*want {
		t.Errorf("%v s, want %g", p.Advice.Seconds, want)
	}
	if line := p.Advice.Lines(&p)[0]; !p.Advice.Extends || !strings.Contains(line, "; the rest takes both runs about ") {
		t.Error(line)
	}
	for name, change := range map[string]func(r *pairstest.Run){
		"another draw":         func(r *pairstest.Run) { r.Records = r.Records[:399] },
		"so many of a subject": func(r *pairstest.Run) { r.Header.Selection.PerSubject = 40 },
		"a half width":         func(r *pairstest.Run) { r.Header.Selection.UntilHalfWidth = 0.02 },
		"a part":               func(r *pairstest.Run) { r.Header.Shard = &journal.Shard{Index: 1, Count: 2} },
		"one of several tasks": func(r *pairstest.Run) { r.Header.Flags = map[string][]string{"tasks": {"mmlu_pro,mmlu_pro_binary"}} },
	} {
		other := b
		change(&other)
		if p := inFolders(t, a, other); p.Advice.Extends || !strings.Contains(p.Advice.Commands[1], "--model Q4_K_M.gguf") {
			t.Errorf("%s: %+v", name, p.Advice)
		}
	}
}

func TestAdviceFindsTheFileOfTheQuestions(t *testing.T) {
	a, b := pairstest.Two()
	a.Header.Dataset.Name = "questions"
	a.Header.Flags = map[string][]string{"data": {"sets/questions.csv"}, "map": {"question=q,options=a+b,answer=l"}}
	p := compared(t, Options{Margin: 0.015}, a, b).Pairs[0]
	if run := p.Advice.Commands[0]; !strings.Contains(run, "--data sets/questions.csv --map question=q,options=a+b,answer=l") {
		t.Error(run)
	}
}

// seconds is what the engine took for a pairstest.Run.
func seconds(p pairstest.Run) (all float64) {
	for _, r := range p.Records {
		all += (r.Timing.Prefill + r.Timing.Decode).Seconds()
	}
	return all
}

func TestComparisonsWarnAsReportsDo(t *testing.T) {
	a, b := pairstest.Two()
	b.Header.Selection.Items += 10
	for i := range 20 {
		b.Records[i].Text = "i can't say"
	}
	for i := range 30 {
		b.Records[380-i].Finish = "length"
	}
	a.Header.Sampling.MaxTokens, b.Header.Sampling.MaxTokens = 64, 64
	c := compared(t, Options{Force: true, RuleSet: "agi-evals"}, a, b)
	for _, part := range []string{
		"Q4_K_M: incomplete: 400 of 410 items have a completion, 10 not asked yet",
		"Q4_K_M: the token cap of 64 ended 7.50 % of the completions",
		"Q4_K_M: no answer found (NO_ANSWER) on 20 items (5.00 %)",
		`all runs: rule set agi-evals looks for a line "Answer: X", but the prompts of style tiger@1 asked for "the answer is (X)"`,
	} {
		if !slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.HasPrefix(w, part) }) {
			t.Errorf("no %q in %q", part, c.Warnings)
		}
	}
	if c := compared(t, Options{}, a, a); len(c.Warnings) > 0 {
		t.Errorf("nothing is wrong, and yet %q", c.Warnings)
	}
}
