package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"proctor/backends"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/runner/ask/progress"
	"proctor/runner/ask/shard"
	"proctor/runner/journal"
	"proctor/runner/journal/output"
)

// A Session asks one model the tasks of a run, one after the other, each into a journal of its own:
//
//	Plan ─→ (a model is opened) ─→ Prepare ─→ Run
//
// Plan needs no model, so that whatever is wrong with what is to be asked is told before one is loaded.
type Session struct {
	Out     string              // folder of the run; where empty, Prepare names it runs/TIME-MODEL-TASK
	Resume  bool                // go on with the run in Out: ask what has no answer yet; a larger selection extends it
	Shard   *shard.Part         // ask this part of the questions only; nil for all
	Version string              // of the program, for the journals
	Flags   map[string][]string // that begin the run, for the journals
	Notes   []string            // of how it begins, for the journals
	Fsync   journal.Fsync       // when the journals are synced
	Host    func() backends.Host
	Now     func() time.Time

	Ahead   func(line string)      // what it is going to take; may be nil
	Told    func(line string)      // how the model is going to be asked; may be nil
	Warn    func(text string)      // of what may matter for the result
	Interim func(*journal.Interim) // see [Plan.Interim]; may be nil

	// Watch begins to watch a task, of which so much of each subject is asked; it may be nil.
	Watch func(header *journal.Header, asked []progress.Subject) (seen func(*journal.Record))

	plans []*Plan
	model backends.Model
	info  backends.Info
	load  time.Duration // of the model, until it was ready for the first task
	files openFiles     // what is being written
}

// Plan plans every eval.
func (s *Session) Plan(set *dataset.Set, evals []prompts.Eval, selection dataset.Selection, settings Settings) error {
	for _, eval := range evals {
		plan, err := NewPlan(set, eval, selection, settings)
		if err != nil {
			return err
		}
		plan.Interim = s.Interim
		if s.Shard != nil {
			if err := plan.divide(*s.Shard); err != nil {
				return err
			}
		}
		s.plans = append(s.plans, plan)
	}
	for i, plan := range s.plans {
		if s.Resume {
			if err := s.goOnWith(plan, set, evals[i], selection, settings); err != nil {
				return err
			}
		}
	}
	if _, err := os.Stat(journal.File(s.Out)); err == nil && s.Resume && len(s.plans) > 1 {
		return fmt.Errorf("%s holds one task of a run with several: go on with %s, the whole", s.Out, filepath.Dir(s.Out))
	}
	return nil
}

// Earlier is how the run to go on with was begun; a zero header where there is none, or none that can be read: going on
// with it will tell what is wrong.
func (s *Session) Earlier() journal.Header {
	if !s.Resume {
		return journal.Header{}
	}
	begun, _ := Begun(s.folder(s.plans[0]))
	return begun
}

// Begun is how the run in a folder was begun: the header of its journal, or of that of one of its tasks. The error is an
// [fs.ErrNotExist] where there is none, else why the first one cannot be read.
func Begun(out string) (header journal.Header, err error) {
	journals, err := journal.Under(out)
	for _, path := range journals {
		var run *journal.Reader
		if run, err = journal.Open(path); err == nil {
			return run.Header, run.Close()
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return header, err
}

// converse gives the plans' prompts the form, and has direct plans find their letters. Prompts that have a date keep that of the
// run's beginning.
func (s *Session) converse(ctx context.Context, model backends.Model, form Form) error {
	given := !form.Now.IsZero()
	if !given {
		form.Now = s.Earlier().Created
	}
	if form.Now.IsZero() {
		form.Now = s.Now().UTC()
	}
	dialogue, err := form.Dialogue(ctx, model)
	if err == nil && dialogue != nil && s.Shard != nil && !given {
		err = undated(*dialogue)
	}
	if err != nil {
		return err
	}
	for _, plan := range s.plans {
		if dialogue != nil {
			if err := plan.converseDirectly(*dialogue, form.think()); err != nil {
				return err
			}
		}
		if err := plan.spell(model); err != nil {
			return err
		}
		plan.narrow()
	}
	return nil
}

// Prepare gives the prompts the form, has the model size itself to the largest of the plans, and refuses one whose context
// they do not fit. began is when the model began to load.
func (s *Session) Prepare(ctx context.Context, model backends.Model, form Form, began time.Time) error {
	if _, can := model.(backends.Predictor); !can && s.plans[0].keepsLogprobs {
		return errors.New("--keep-logprobs: this model gives no log-probabilities: leave the flag out")
	}
	if err := s.converse(ctx, model, form); err != nil {
		return err
	}
	work, err := s.workload(model)
	if err != nil {
		return err
	}
	if s.Ahead != nil {
		s.Ahead(s.ahead(ctx, model, work))
	}
	var allocation backends.Allocation
	if planner, ok := model.(backends.Planner); ok {
		if allocation, err = planner.Plan(ctx, work); err != nil {
			return err
		}
		if s.Told != nil {
			s.Told(allocation.Told)
		}
	}
	if s.info, err = model.Info(ctx); err != nil {
		return err
	}
	s.name()
	s.model = model
	s.load = s.Now().Sub(began)
	return s.checkFit(allocation.Unfit)
}

// workload is the largest that any of the plans asks for.
func (s *Session) workload(model backends.Model) (backends.Workload, error) {
	var work backends.Workload
	for _, plan := range s.plans {
		if tokenizer, ok := model.(backends.Tokenizer); ok {
			// A server's model can lack its vocabulary here.
			if err := plan.Measure(tokenizer); err != nil && !errors.Is(err, errors.ErrUnsupported) {
				return work, err
			}
		}
		w := plan.Workload()
		if w.Requests > work.Requests {
			work.Requests, work.UniqueTokens = w.Requests, w.UniqueTokens
		}
		work.PromptTokens = max(work.PromptTokens, w.PromptTokens)
		work.MaxTokens = max(work.MaxTokens, w.MaxTokens)
		work.Logprobs = max(work.Logprobs, w.Logprobs)
	}
	return work, nil
}

// checkFit refuses a context that no item fits, or that a larger share of them than may does not, and warns where some
// do not.
func (s *Session) checkFit(mayUnfit float64) error {
	context := s.info.Engine.Context
	if context == 0 {
		return nil
	}
	for _, plan := range s.plans {
		unfit := plan.Unfit(context)
		if unfit == 0 {
			continue
		}
		w := plan.Workload()
		what := fmt.Sprintf("%s: %d of %d prompts with %d tokens of answer do not fit a context of %d tokens; the longest needs %d",
			plan.Task, unfit, len(plan.Items), w.MaxTokens, context, w.PromptTokens+w.MaxTokens)
		share := float64(unfit) / float64(len(plan.Items))
		if share == 1 || mayUnfit > 0 && share > mayUnfit {
			return errors.New(what + ": lower --max-tokens or --shots, give a larger --ctx, or take a model with a longer context")
		}
		s.Warn(what + ": they become HARNESS_ERROR, CTX_TRUNCATED")
	}
	return nil
}

// name names the run's folder where nobody has.
func (s *Session) name() {
	if s.Out == "" {
		s.Out = filepath.Join("runs", s.folderName())
	}
}

// folderName is TIME-MODEL-TASK; of several tasks the number stands for them.
func (s *Session) folderName() string {
	task := s.plans[0].Task.String()
	if len(s.plans) > 1 {
		task = fmt.Sprintf("%d-tasks", len(s.plans))
	}
	model := strings.TrimSuffix(filepath.Base(s.info.Model.Ref), ".gguf")
	if s.Shard != nil { // others of the run may begin in the same second
		task += fmt.Sprintf("-shard-%d-of-%d", s.Shard.Index, s.Shard.Count)
	}
	return output.Folder(fmt.Sprintf("%s-%s-%s", s.Now().Format("20060102-150405"), model, task))
}

// Folders are those of the tasks, each of which is a run of its own, once Prepare has named Out.
func (s *Session) Folders() []string {
	var all []string
	for _, plan := range s.plans {
		all = append(all, s.folder(plan))
	}
	return all
}

// folder is where a plan keeps its journal and its reports.
func (s *Session) folder(p *Plan) string {
	if len(s.plans) == 1 {
		return s.Out
	}
	var tasks []string
	for _, plan := range s.plans {
		tasks = append(tasks, plan.Task.String())
	}
	return filepath.Join(s.Out, output.Folders(tasks)[slices.Index(s.plans, p)])
}

// ask puts a plan to the model. asking is why that stopped early or may not last, err what keeps it from beginning.
func (s *Session) ask(ctx context.Context, plan *Plan) (asking, err error) {
	header := s.header(plan)
	writer, resume, err := s.open(s.folder(plan), header)
	if err != nil {
		return nil, err
	}
	defer writer.Close()
	if plan.logprobs, err = s.keep(header.Logprobs, writer.Path(), resume); err != nil {
		return nil, err
	}
	defer plan.logprobs.Close()
	s.files.set(writer, plan.logprobs)
	defer s.files.set()
	if text := setBack(time.Now(), resume); text != "" {
		s.Warn(text)
	}
	seen, err := s.watch(plan, &header, writer.Path(), resume)
	if err != nil {
		return nil, err
	}
	asking = plan.Run(ctx, s.model, writer, resume, seen)
	s.files.set()
	return cmp.Or(asking, errors.Join(plan.logprobs.Close(), writer.Close())), nil
}

// header is that of a plan's journal.
func (s *Session) header(plan *Plan) journal.Header {
	header := plan.Header(s.info, s.Host(), s.Version, s.Now())
	header.Load, header.Flags = s.load, s.Flags
	header.Notes = append(header.Notes, s.Notes...)
	if predictor, can := s.model.(backends.Predictor); can && plan.keepsLogprobs {
		header.Logprobs = &journal.Logprobs{Top: backends.TopLogprobs, VocabularySHA256: predictor.VocabularySHA256()}
	}
	return header
}

// open begins a plan's journal, or goes on with it where that is asked for.
func (s *Session) open(folder string, header journal.Header) (writer *journal.Writer, resume *journal.Resume, err error) {
	defer func() {
		if err == nil {
			writer.SetFsync(s.Fsync)
			if unlocked := writer.Unlocked(); unlocked != "" {
				s.Warn(unlocked)
			}
		}
	}()
	if s.Resume {
		writer, resume, err = journal.OpenAppend(folder, header)
		if err == nil {
			for _, warning := range resume.Warnings {
				s.Warn(warning)
			}
		}
		// Of several tasks, the later ones may not have begun yet.
		if len(s.plans) == 1 || !errors.Is(err, fs.ErrNotExist) {
			return writer, resume, err
		}
	}
	writer, err = journal.Create(folder, header)
	return writer, &journal.Resume{}, err
}
