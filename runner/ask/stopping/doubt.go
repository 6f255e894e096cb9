package stopping

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"proctor/backends/setting"
	"proctor/prompts"
	"proctor/runner/journal/logprobs"
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
	"proctor/runner/mark/stats/adaptive"
	"proctor/runner/mark/stats/betting"
)

// Doubts are what a run tells of where answers may flip: how unsure its model was of each question. Several runs can share them.
type Doubts struct {
	Run         string
	fingerprint string
	set         string          // the file's SHA-256
	of          map[int]float64 // by the question's id; nil where the run did not keep it
}

// Tell says whether there are any.
func (d *Doubts) Tell() bool { return d.of != nil }

// ReadDoubts reads what the rule's other run tells, or the one that it is held against.
func (u Until) ReadDoubts() (*Doubts, error) {
	if u.Doubt == "" {
		run, err := results.OpenUnder(u.Run, "")
		if err != nil {
			return nil, u.refused("%w", err)
		}
		return u.own(run)
	}
	refuse := func(err error) (*Doubts, error) { return nil, fmt.Errorf("%s: %w", setting.Doubt.As(u.Doubt), err) }
	run, err := results.OpenUnder(u.Doubt, "")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return refuse(errors.New("there is no run: give a run's folder or its journal"))
	case err != nil:
		return refuse(err)
	}
	of, err := doubtsOf(u.Doubt, run)
	switch {
	case err != nil:
		return refuse(err)
	case of == nil:
		return refuse(fmt.Errorf("it does not tell how sure its model was: make it with %s, or with %s", setting.Direct, setting.KeepLogprobs))
	case several(run):
		return refuse(fmt.Errorf("a question there has several items: give a run that asks each question once, such as one with %s", setting.Direct))
	}
	return &Doubts{u.Doubt, run.Header.Fingerprint, run.Header.Dataset.SHA256, of}, nil
}

// doubts are those that were read before, those of the run that is named for them, or those of the opened run itself.
func (u Until) doubts(run *results.Run) (*Doubts, error) {
	switch {
	case u.Doubts != nil:
		return u.Doubts, nil
	case u.Doubt != "":
		return u.ReadDoubts()
	default:
		return u.own(run)
	}
}

// own are the doubts of the run that another is held against.
func (u Until) own(run *results.Run) (*Doubts, error) {
	of, err := doubtsOf(u.Run, run)
	if err != nil {
		return nil, u.refused("%w; or ask all subjects alike, with %s", err, setting.InProportion)
	}
	return &Doubts{u.Run, run.Header.Fingerprint, run.Header.Dataset.SHA256, of}, nil
}

// Fit refuses doubts that another run tells of other questions.
func (d *Doubts) Fit(setSHA256 string, items []prompts.Item) error {
	refuse := func(format string, args ...any) error {
		return fmt.Errorf(setting.Doubt.As(d.Run)+": "+format, args...)
	}
	if d.set != setSHA256 {
		return refuse("it asks another set: dataset.sha256 (%s there, %s here)", d.set, setSHA256)
	}
	lacking := 0
	for _, item := range items {
		if _, told := d.of[item.QuestionID]; !told {
			lacking++
		}
	}
	if lacking > 0 {
		return refuse("it has no answer to %d of these %d questions: make it without %s, or finish it with %s", lacking, len(items), setting.Limit,
			setting.Resume)
	}
	return nil
}

// wouldTell says what a run would have to keep to tell which answers may flip, or what tells it sooner.
func wouldTell(run string) string {
	told := fmt.Sprintf("one made with %s would, or first a pass with %s, given as %s", setting.KeepLogprobs, setting.Direct, setting.Doubt.As("RUN"))
	s, err := metrics.Open(run, metrics.Options{})
	if err != nil {
		return told
	}
	if rate := s.Speed.Prefill.Or(0); rate > 0 {
		told += fmt.Sprintf(", which takes about %s (estimated: these prompts at the speed with which %s read them)",
			format.Roughly(float64(s.Speed.ToRead())/rate), run)
	}
	return told
}

// An Expected is how many questions are expected to decide, where the models are equally good.
type Expected struct {
	adaptive.Size
	Strata  int
	Uniform stats.Number // with all subjects in proportion; a mean
}

// madeUpRuns are those that an expected number of questions is of.
const madeUpRuns = 41

// expectedOf has a share of flips; 0 for what is believed.
func expectedOf(strata []adaptive.Stratum, margin, alpha, flips float64) Expected {
	e := Expected{Size: adaptive.SizeOf(strata, margin, alpha, flips, firstQuestions, growth, madeUpRuns), Strata: len(strata)}
	questions := 0
	for _, s := range strata {
		questions += s.Questions
	}
	e.Uniform, _ = betting.Questions(questions, 0, e.Flips, margin, alpha, madeUpRuns)
	return e
}

// Expected is how many questions of a set, which the run has asked whole, are expected to decide, with a share of flips; 0 for what is
// believed. An error says why the run tells nothing of it.
func (u Until) Expected(task, setSHA256 string, questions int, flips float64) (Expected, error) {
	run, err := results.OpenUnder(u.Run, "")
	if err != nil {
		return Expected{}, err
	}
	var items []prompts.Item
	var predictions []adaptive.Prediction
	for a := range run.View(0).Scored() {
		items = append(items, prompts.Item{QuestionID: a.QuestionID})
		predictions = append(predictions, adaptive.Prediction{Right: a.Correct})
	}
	if run.Header.Task != task || run.Header.Dataset.SHA256 != setSHA256 || len(items) != questions || several(run) {
		return Expected{}, fmt.Errorf("%s has no answer to each of these %d questions of %s alone", u.Run, questions, task)
	}
	doubts, err := u.ReadDoubts()
	if err == nil && u.Doubt != "" {
		err = doubts.Fit(setSHA256, items)
	}
	if err != nil {
		return Expected{}, err
	}
	for i, item := range items {
		predictions[i].Doubt = doubts.of[item.QuestionID]
	}
	strata, _ := adaptive.Cut(predictions)
	if doubts.of == nil || len(strata) < fewestStrata {
		return Expected{}, fmt.Errorf("%s does not tell which answers may flip; %s", u.Run, wouldTell(u.Run))
	}
	return expectedOf(strata, u.Margin, u.Alpha, flips), nil
}

// several says whether a question has several items.
func several(run *results.Run) bool {
	seen := map[int]bool{}
	for _, it := range run.Items {
		seen[it.QuestionID] = true
	}
	return len(seen) < len(run.Items)
}

// doubtsOf is how unsure the run's model was of each question; nil where the run did not keep it. Of a completion it is the
// sum over its tokens of p₂/p₁, the second likeliest token's probability by the likeliest's: about how many tokens could as well
// have been others. Of a direct item it is p₂/p₁ of the letters.
func doubtsOf(path string, run *results.Run) (map[int]float64, error) {
	doubts, marks := map[int]float64{}, run.View(0).Scored()
	if len(run.Items) > 0 && len(run.Items[0].LetterLogprobs) > 0 {
		for a := range marks {
			if len(a.LetterLogprobs) < 2 {
				return nil, nil
			}
			likely := slices.Sorted(slices.Values(a.LetterLogprobs))
			doubts[a.QuestionID] = math.Exp(likely[len(likely)-2] - likely[len(likely)-1])
		}
		return doubts, nil
	}
	if run.Header.Logprobs == nil {
		return nil, nil
	}
	reader, err := logprobs.Open(path, *run.Header.Logprobs)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	for a := range marks {
		doubts[a.QuestionID] = 0
		if a.Logprobs == nil {
			return nil, nil
		}
		tokens, err := reader.Item(a.ID, *a.Logprobs)
		if err != nil {
			return nil, err
		}
		for i := range tokens {
			if top := tokens[i].Top; len(top) > 1 {
				doubts[a.QuestionID] += math.Exp(top[1].Logprob - top[0].Logprob)
			}
		}
	}
	return doubts, nil
}
