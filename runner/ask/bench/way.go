package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/ask"
)

// A Way is one configuration in which a load is run.
type Way struct {
	Opening
	Name  string // such as "slots 8", to distinguish it
	Plain bool   // one request at a time, each with an empty cache, like the simplest program for an engine
}

// plainStep is the step in which a plain way samples the requests: it answers one of this many, as none gains from those before it.
const plainStep = 4

// A Pass is one repetition: its time, the parts spent in prefill and decode, and its work.
type Pass struct {
	Wall, Prefill, Decode time.Duration
	Usage                 backends.Usage
	Early                 int // completions that ended before their cap
}

// session is a way while its model is open.
type session struct {
	Way
	*Bench
	load     Load
	model    backends.Model
	requests []backends.Request
	unique   int  // tokens of the prompts
	row      Eval // the fields known before anything is measured
	// overlaps says that the backend's times of different requests may overlap.
	overlaps bool
	passes   []Pass
	opened   *ask.Opened
	info     backends.ModelInfo
	began    time.Time
}

// measure opens a way's model and runs the load, as often as there are repetitions.
func (b *Bench) measure(ctx context.Context, way Way, load Load, p *pace) (_ *session, err error) {
	s := &session{Way: way, Bench: b, load: load, began: b.Now()}
	opened, err := ask.Open(ctx, way.Open, func(model backends.Model) (backends.Workload, error) {
		return s.prepare(ctx, model)
	})
	if s.model != nil { // whatever opens a model names it
		defer func() {
			if err != nil {
				err = fmt.Errorf("%s: %w", way.Ref, err)
			}
		}()
	}
	if err != nil {
		return s, err
	}
	defer s.model.Close()
	s.describe(opened)
	p.begin(s.Ref, fmt.Sprintf("%d questions", len(s.requests)), s.load.Repetitions)
	if s.load.WarmUp {
		if _, err := s.pass(ctx, s.requests[:min(len(s.requests), 2)]); err != nil {
			return s, err
		}
		p.step(true)
	}
	backends.LoadOf(s.model)
	for range s.load.Repetitions {
		pass, err := s.pass(ctx, s.requests)
		if err != nil {
			return s, err
		}
		s.passes = append(s.passes, pass)
		p.step(false)
	}
	s.row.Others = backends.LoadOf(s.model)
	return s, nil
}

// prepare makes the requests for an open model, and returns the work that they are.
func (s *session) prepare(ctx context.Context, model backends.Model) (work backends.Workload, err error) {
	s.model = model
	info, err := model.Info(ctx) // anything it waits for would compete with the requests
	if err != nil {
		return work, err
	}
	s.info = info.Model
	tokenizer, ok := model.(backends.Tokenizer)
	if !ok {
		return work, errors.New("the model cannot count tokens")
	}
	if holds := s.load.Context; holds > 0 {
		if trained := info.Model.ContextLength; trained > 0 {
			holds = min(holds, trained)
		}
		_, here := model.(backends.Engine)
		s.load.Context, s.load.Drawn = holds, !here
		s.load.MadeUp.Own, s.load.MadeUp.Generate = min(s.load.MadeUp.Own, 3*holds/4), min(s.load.MadeUp.Generate, holds/4)
	}
	texts, work, err := s.load.MadeUp.prompts(tokenizer)
	if err != nil {
		return work, err
	}
	s.requests = s.load.requests(texts, work.MaxTokens)
	s.unique = work.UniqueTokens
	work.PromptTokens = max(work.PromptTokens, s.load.Context-work.MaxTokens)
	if s.Plain {
		var some []backends.Request
		for part := range slices.Chunk(s.requests, plainStep) {
			some = append(some, part[0])
		}
		s.requests = some
		work = backends.Workload{Requests: 1, PromptTokens: work.PromptTokens, MaxTokens: work.MaxTokens}
	}
	return work, nil
}

// describe sets what a row says of the model, once it is planned.
func (s *session) describe(o *ask.Opened) {
	s.opened = o
	e, m := o.Info.Engine, o.Info.Model
	s.overlaps = len(e.Servers) > 0 && e.Slots != 1
	made := s.load.MadeUp
	s.row = Eval{Slots: e.Slots, Context: e.Context, Questions: len(s.requests),
		Shared: made.Shared, Own: made.Own, Generate: made.Generate,
		Head: Head{Build: s.Build, File: s.Ref, Because: e.KernelsBecause, EngineSettings: backends.EngineSettings{
			Batch: e.Batch, Microbatch: e.Microbatch, Threads: e.Threads, GPULayers: e.GPULayers,
			FlashAttention: e.FlashAttention, Kernels: e.Kernels,
		}}}
	if engine, here := s.model.(backends.Engine); here {
		s.row.Summary = engine.Summary()
		return
	}
	if e.Kernels == "" { // not an engine of ours in a process of its own
		s.row.Build = Build{Backends: e.Name + " " + e.Version}
	}
	s.row.Summary = backends.Summary{
		Type:      strings.Join([]string{m.Architecture, backends.SizeLabel(m.Parameters), m.Quantization}, " "),
		SizeBytes: m.SizeBytes, Parameters: m.Parameters,
	}
	if m.Parameters == 0 { // the server reports no more
		s.row.Summary = backends.Summary{Type: m.Name}
	}
}

// pass answers the requests, starting with an empty cache.
func (s *session) pass(ctx context.Context, requests []backends.Request) (Pass, error) {
	var pass Pass
	if forgetter, ok := s.model.(backends.Forgetter); ok {
		if err := forgetter.Forget(ctx); err != nil {
			return pass, err
		}
		if err := s.answer(ctx, &Pass{}, warmUp); err != nil {
			return pass, err
		}
	}
	together := len(requests)
	if s.Plain {
		together = 1
	}
	began := s.Now()
	for part := range slices.Chunk(requests, together) {
		if err := s.answer(ctx, &pass, part...); err != nil {
			return pass, err
		}
	}
	pass.Wall = s.Now().Sub(began)
	reused, common := pass.Usage.ReusedTokens, pass.Usage.PromptTokens-s.unique
	switch {
	case s.Plain && reused > 0:
		return pass, fmt.Errorf("%d prompt tokens were reused: this is not a plain loop", reused)
	case s.Plain || len(requests) < len(s.requests):
	case float64(reused-common) > reuseSlack*float64(pass.Usage.PromptTokens): // some servers keep earlier prompts
		return pass, fmt.Errorf("%d prompt tokens were reused, of %d that the prompts have in common: it still had earlier "+
			"prompts; start it anew without that, as with --cache-ram 0, or anew for each measurement with -r 1 %s %s",
			reused, common, setting.Rounds.As("1"), setting.NoWarmup)
	}
	return pass, nil
}

// reuseSlack is the share of the prompts' tokens by which a server's count may differ from the vocabulary's.
const reuseSlack = 0.01

// warmUp is a short request that shares nothing with a load's.
var warmUp = backends.Request{ID: "warm-up", Prompt: "Once upon a time", MaxTokens: 4, Sampling: sampling}

func (s *session) answer(ctx context.Context, pass *Pass, requests ...backends.Request) error {
	return s.model.Generate(ctx, slices.Values(requests), func(c backends.Completion) error {
		if c.Finish == backends.FinishError {
			return errors.New(c.Error)
		}
		pass.Prefill += c.Timing.Prefill
		pass.Decode += c.Timing.Decode
		pass.Usage.PromptTokens += c.Usage.PromptTokens
		pass.Usage.ReusedTokens += c.Usage.ReusedTokens
		pass.Usage.OutputTokens += c.Usage.OutputTokens
		if c.Finish != backends.FinishLength || c.Cause == backends.CauseLoop {
			pass.Early++
		}
		return nil
	})
}

// A Load is the questions that models get in an eval, and the number of repetitions.
type Load struct {
	MadeUp      MadeUp
	Repetitions int  // of each way, once its model is open
	WarmUp      bool // answer a few of the prompts first, untimed
	Rounds      int  // how often that is done with all ways, one after the other
	Compared    bool // rows have a comparison with the first way
	Context     int  // tokens for a slot, if the model was trained for so many; prompts and answers are made to fit it

	// Drawn samples tokens, and completions end where the model ends them, which every backend supports. Otherwise tokens are the
	// likeliest, and every completion is as long as its cap.
	Drawn bool
}

// sampling keeps a model with random weights from repeating itself, which some servers end.
var sampling = backends.Sampling{Temperature: 1, TopK: 40, TopP: 0.9}

// requests ask for completions of all prompts.
func (l Load) requests(texts []string, most int) []backends.Request {
	all := make([]backends.Request, len(texts))
	for i, text := range texts {
		all[i] = backends.Request{ID: fmt.Sprint(i), Prompt: text, MaxTokens: most, IgnoreEOS: !l.Drawn}
		all[i].Partings = func() []int { return backends.Partings(text, slices.Values(texts[i+1:])) }
		if l.Drawn {
			all[i].Sampling = sampling
			all[i].Sampling.Seed = uint32(i + 1)
		}
	}
	return all
}
