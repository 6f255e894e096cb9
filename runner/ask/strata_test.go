package ask_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/ask/stopping"
	"proctor/runner/journal"
	"proctor/runner/journal/logprobs"
	"proctor/runner/mark/draw"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/stats/adaptive"
	"proctor/scripts/tests/errortest"
)

// doubting is a run of wavering over the school set that kept how unsure its model was: more where its answer is spoilt elsewhere, as doubt
// says of the question's number.
func doubting(t *testing.T, doubt func(question int, spoilt bool) float64) string {
	t.Helper()
	plain, run := filepath.Join(t.TempDir(), "plain"), filepath.Join(t.TempDir(), "against")
	plan := planWith(t, schoolSet(), task.All[0], dataset.Selection{}, ask.Settings{})
	if err := answerAll(t, plan, &scripted.Model{Answer: wavering(task.All[0])}, plain, nil); err != nil {
		t.Fatal(err)
	}
	kept := load(t, plain)
	header := kept.Header
	header.Logprobs = &journal.Logprobs{Top: backends.TopLogprobs, VocabularySHA256: strings.Repeat("ab", 32)}
	to, err := journal.Create(run, header)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	beside, _, err := logprobs.Continue(run, *header.Logprobs, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer beside.Close()
	for _, record := range kept.Records {
		p := backends.Prediction{Rest: -9, Top: make([]backends.Logprob, backends.TopLogprobs)}
		for i := range p.Top {
			p.Top[i] = backends.Logprob{Token: int32(i), Logprob: -10}
		}
		flips := spoiltAt(&header, &record, 20) && strings.Contains(record.Text, "(C)")
		p.Top[0].Logprob, p.Top[1].Logprob = -0.1, -0.1+math.Log(doubt(record.QuestionID, flips))
		part, err := beside.Append(record.ID, []backends.Prediction{p})
		if err != nil {
			t.Fatal(err)
		}
		record.Logprobs = &part
		if err := to.Append(record); err != nil {
			t.Fatal(err)
		}
	}
	return run
}

// spoiltAt says whether [spoilt] spoils the question.
func spoiltAt(h *journal.Header, r *journal.Record, of100 int) bool {
	n, _ := strconv.ParseUint(digest(strings.SplitAfter(h.Preambles[r.Subject]+r.Prompt, "?")[0])[2:10], 16, 64)
	return int(n%100) < of100
}

// telling is doubt with an AUC of 0.9.
func telling(question int, spoilt bool) float64 {
	noise := float64(question*7919%1000+1) / 1001
	if spoilt {
		return 0.3 + 0.7*noise
	}
	return 0.7 * noise * noise
}

func useless(question int, _ bool) float64 { return float64(question*7919%1000+1) / 1001 }

func TestADrawInStrataEstimatesTheSet(t *testing.T) {
	right, spoiltRight := 0, 0
	for name, doubt := range map[string]func(int, bool) float64{"that tells": telling, "that is useless": useless} {
		against := doubting(t, doubt)
		plan, run := held(t, against, 0.15, spoilt(20))
		kept := load(t, run)
		u := kept.Header.Selection.UntilDecided
		if len(u.Strata) < 6 || u.OfSHA256 == "" {
			t.Fatalf("%s: %+v", name, u)
		}
		all, sizes := 0, make([]int, len(u.Strata))
		for h, s := range u.Strata {
			sizes[h], all = s.Questions, all+s.Questions
		}
		last := kept.Interims[len(kept.Interims)-1]
		asked := make([]int, len(sizes))
		for _, r := range kept.Records {
			if r.Stratum < 1 || r.Stratum > len(sizes) {
				t.Fatalf("%s: %s is of stratum %d", name, r.ID, r.Stratum)
			}
			asked[r.Stratum-1]++
		}
		if all != 1200 || !reflect.DeepEqual(asked, last.Draw.Known) || last.Stop != journal.StopDecided || last.Draw.Next != nil {
			t.Errorf("%s: %d questions in strata, %v asked, last look %+v", name, all, asked, last)
		}
		if right == 0 {
			before := load(t, against)
			for _, r := range before.Records {
				if strings.Contains(r.Text, "(C)") {
					if right++; !spoiltAt(&before.Header, &r, 20) {
						spoiltRight++
					}
				}
			}
		}
		truth, difference := float64(spoiltRight)/1200, float64(spoiltRight-right)/1200
		s, err := metrics.Open(run, metrics.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s.Headline.Covers != draw.WholeSet || s.Headline.CI.Low > truth || s.Headline.CI.High < truth || s.Sample == nil {
			t.Errorf("%s: the headline is %+v, %g of the set are right", name, s.Headline, truth)
		}
		if i := last.Interval; i == nil || i[0] > difference || i[1] < difference || i[1] < i[0] {
			t.Errorf("%s: the sequence is %v, the difference %g", name, i, difference)
		}
		c, err := pairs.Of([]string{against, run}, pairs.Options{Margin: 0.15})
		if err != nil {
			t.Fatal(err)
		}
		p := c.Pairs[0]
		if got := p.Outcome.Difference.Or(9); math.Abs(got-*last.Value) > 1e-9 || p.CI.Low > difference || p.CI.High < difference {
			t.Errorf("%s: compare has %g, %+v; the look has %g, and the set %g", name, got, p.CI, *last.Value, difference)
		}
		if name == "that tells" && (s.Sequential.AUC.Or(0) < 0.75 || s.Sequential.Uniform.Or(0) < 1.2*float64(len(kept.Records))) {
			t.Errorf("after %d questions: %+v", len(kept.Records), s.Sequential)
		}
		goOn(t, plan, &scripted.Model{Answer: spoilt(100)}, run, nil)
		if again := load(t, run); len(again.Records) != len(kept.Records) || len(again.Interims) != len(kept.Interims) {
			t.Errorf("%s: resumed, it has %d items and %d looks", name, len(again.Records), len(again.Interims))
		}
	}
}

// TestADrawInStrataIsAFunctionOfSeedAndJournal has runs that are killed at any question go on as if they had not been, also where
// questions failed, of which the next blocks had learnt nothing.
func TestADrawInStrataIsAFunctionOfSeedAndJournal(t *testing.T) {
	against := doubting(t, telling)
	plan, run := held(t, against, 0.02, spoilt(6))
	want := load(t, run)
	if len(want.Interims) < 4 {
		t.Fatalf("%d looks", len(want.Interims))
	}
	for _, at := range []int{1, 99, 100, 101, 130, len(want.Records) - 1} {
		again := filepath.Join(t.TempDir(), "again")
		to, err := journal.Create(again, headerOf(t, plan, &scripted.Model{}))
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancelCause(t.Context())
		n := 0
		err = plan.Run(ctx, &scripted.Model{Answer: spoilt(6)}, to, &journal.Resume{}, ask.Observer{Item: func(*journal.Record) {
			if n++; n == at {
				stop(errors.New("the power is cut"))
			}
		}})
		if to.Close(); err == nil {
			t.Fatal("nothing stopped it")
		}
		goOn(t, plan, &scripted.Model{Answer: spoilt(6)}, again, nil)
		got := load(t, again)
		if !reflect.DeepEqual(got.Interims, want.Interims) || !reflect.DeepEqual(idsOf(got), idsOf(want)) {
			t.Errorf("killed after %d: %d items and %d looks, in one go %d and %d", at, len(got.Records), len(got.Interims), len(want.Records),
				len(want.Interims))
		}
	}
	failing := filepath.Join(t.TempDir(), "failing")
	if err := answerAll(t, plan, &scripted.Model{Answer: spoilt(6), Fail: func(r backends.Request) *scripted.Error {
		if !strings.HasSuffix(r.ID, "7") {
			return nil
		}
		return &scripted.Error{Cause: backends.CauseTimeout, Text: "too slow"}
	}}, failing, nil); err != nil {
		t.Fatal(err)
	}
	before := load(t, failing)
	goOn(t, plan, &scripted.Model{Answer: spoilt(6)}, failing, nil)
	after := load(t, failing)
	if before.Interims[0].Errors == 0 || !reflect.DeepEqual(before.Interims, after.Interims) || len(before.Records) != len(after.Records) {
		t.Errorf("%d looks and %d items, then %d and %d", len(before.Interims), len(before.Records), len(after.Interims), len(after.Records))
	}
}

func TestARunIsDrawnInProportionWhereNothingTellsOfFlips(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	whole := planWith(t, schoolSet(), task.All[0], dataset.Selection{}, ask.Settings{})
	if err := answerAll(t, whole, &scripted.Model{Answer: wavering(task.All[0])}, plain, nil); err != nil {
		t.Fatal(err)
	}
	doubted := doubting(t, telling)
	for name, test := range map[string]struct {
		until     stopping.Until
		selection dataset.Selection
	}{
		"nothing was kept":     {stopping.Until{Run: plain, Margin: 0.02}, dataset.Selection{}},
		"all doubts are alike": {stopping.Until{Run: doubting(t, func(int, bool) float64 { return 0.5 }), Margin: 0.02}, dataset.Selection{}},
		"a part of the set":    {stopping.Until{Run: doubted, Margin: 0.02}, dataset.Selection{Limit: 600}},
		"it is said so":        {stopping.Until{Run: doubted, Margin: 0.02, InProportion: true}, dataset.Selection{}},
	} {
		plan := planWith(t, schoolSet(), task.All[0], test.selection, ask.Settings{UntilDecided: test.until})
		if strata := headerOf(t, plan, &scripted.Model{}).Selection.UntilDecided.Strata; strata != nil {
			t.Errorf("%s: %v", name, strata)
		}
	}
}

// TestAnotherRunTellsWhereAnswersFlip has a reference that kept nothing, and a run of the same questions that did.
func TestAnotherRunTellsWhereAnswersFlip(t *testing.T) {
	plain, telling := filepath.Join(t.TempDir(), "plain"), doubting(t, telling)
	plan := planWith(t, schoolSet(), task.All[0], dataset.Selection{}, ask.Settings{})
	if err := answerAll(t, plan, &scripted.Model{Answer: wavering(task.All[0])}, plain, nil); err != nil {
		t.Fatal(err)
	}
	until := stopping.Until{Run: plain, Margin: 0.02, Doubt: telling}
	settings := func(u stopping.Until) ask.Settings { return ask.Settings{UntilDecided: u} }
	with := headerOf(t, planWith(t, schoolSet(), task.All[0], dataset.Selection{Seed: 3}, settings(until)), &scripted.Model{}).Selection.UntilDecided
	itself := headerOf(t, planWith(t, schoolSet(), task.All[0], dataset.Selection{Seed: 3}, settings(stopping.Until{Run: telling, Margin: 0.02})),
		&scripted.Model{}).Selection.UntilDecided
	begun, err := journal.Begun(telling)
	if err != nil {
		t.Fatal(err)
	}
	if with.OfSHA256 != itself.OfSHA256 || len(with.Strata) < 6 || with.Doubt == nil || itself.Doubt != nil ||
		*with.Doubt != (journal.Doubt{Run: telling, Fingerprint: begun.Fingerprint}) {
		t.Errorf("%+v by another run, %+v by itself", with, itself)
	}
	expected, err := until.Expected("mmlu_pro", schoolSet().SHA256, 1200, 0.05)
	if err != nil || expected.Strata != len(with.Strata) || math.Abs(expected.Flips-0.05) > 1e-3 || expected.Mean >= expected.Uniform.Or(0) {
		t.Errorf("%+v, %v", expected, err)
	}
	if _, err := until.Expected("mmlu_pro", schoolSet().SHA256, 1100, 0.05); err == nil {
		t.Error("a run of more questions tells how many a set takes")
	}
	doubts, err := until.ReadDoubts()
	if err != nil {
		t.Fatal(err)
	}
	errortest.For(t, "another set", doubts.Fit("another", plan.Items),
		"it asks another set: dataset.sha256 ("+schoolSet().SHA256+" there, another here)")
	more := append(plan.Items[:1200:1200], prompts.Item{QuestionID: 7777})
	errortest.For(t, "more questions", doubts.Fit(schoolSet().SHA256, more), "it has no answer to 1 of these 1201 questions")
	for says, path := range map[string]string{"it does not tell how sure its model was": plain, "there is no run: give a run's folder": "nowhere"} {
		_, err := stopping.Until{Run: plain, Margin: 0.02, Doubt: path}.ReadDoubts()
		errortest.For(t, says, err, says)
	}
	_, err = ask.NewPlan(schoolSet(), evalOf(t, task.All[0], 0), dataset.Selection{Limit: 600}, settings(until))
	errortest.For(t, "a part of the set", err, "a part of the set is asked in proportion")
}

// TestADrawThatWasBegunBeforeGoesOnAsItBegan has a header without the first block, as earlier ones are.
func TestADrawThatWasBegunBeforeGoesOnAsItBegan(t *testing.T) {
	plan, _ := held(t, doubting(t, telling), 0.02, spoilt(6))
	header := headerOf(t, plan, &scripted.Model{})
	if len(header.Selection.UntilDecided.First) != len(header.Selection.UntilDecided.Strata) {
		t.Fatalf("the first block is %v", header.Selection.UntilDecided.First)
	}
	was := header.Selection
	until := *was.UntilDecided
	until.First, was.UntilDecided = nil, &until
	var strata []adaptive.Stratum
	for _, s := range until.Strata {
		strata = append(strata, adaptive.Stratum(s))
	}
	want := adaptive.FirstBefore(strata, until.Margin, until.Alpha, 100)
	if reflect.DeepEqual(want, header.Selection.UntilDecided.First) {
		t.Fatal("both begin alike, so that this tests nothing")
	}
	got := make([]int, len(strata))
	reference := ask.StopsOf(plan).(*stopping.Reference)
	for _, item := range reference.AsBegun(&was)[0] {
		got[reference.Stratum(item)-1]++
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("it asks %v, and asked %v", got, want)
	}
}

// TestAJournalOfAnotherDrawIsRefused: a look that asks for questions which are not there was not written by this draw.
func TestAJournalOfAnotherDrawIsRefused(t *testing.T) {
	plan, run := held(t, doubting(t, telling), 0.02, spoilt(6))
	kept := load(t, run)
	for name, next := range map[string]func(n []int) []int{
		"fewer strata":  func(n []int) []int { return n[:len(n)-1] },
		"one has none":  func(n []int) []int { n[0] = 0; return n },
		"more than all": func(n []int) []int { n[0] = 5000; return n },
	} {
		look := kept.Interims[0]
		draw := *look.Draw
		draw.Next = next(append([]int{}, draw.Next...))
		draw.Known, draw.Flips = draw.Known[:len(draw.Next)], draw.Flips[:len(draw.Next)]
		look.Draw = &draw
		to, err := journal.Create(filepath.Join(t.TempDir(), "changed"), headerOf(t, plan, &scripted.Model{}))
		if err != nil {
			t.Fatal(err)
		}
		err = plan.Run(t.Context(), &scripted.Model{Answer: spoilt(6)}, to, &journal.Resume{Interims: []journal.Interim{look}}, ask.Observer{})
		errortest.For(t, name, err, "the file was changed")
		to.Close()
	}
}
