package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/open"
	"proctor/prompts/task"
	"proctor/runner"
	"proctor/runner/grade"
	"proctor/runner/journal"
	"proctor/runner/report"
)

// sitting is one invocation of `run`: a model, and the plans that it is asked one after the other.
type sitting struct {
	program
	flags  *cli.Context
	format report.Format
	tasks  []task.Task
	plans  []*runner.Plan // of each task
	rules  []grade.RuleSet
	model  backends.Model
	info   backends.Info
	load   time.Duration // of the model, until it was ready for the first plan
	out    string
}

// plan opens the data and plans every task that the flags name.
func (s *sitting) plan() error {
	settings, err := settingsOf(s.flags)
	if err != nil {
		return err
	}
	if err := effortOf(s.flags, &settings); err != nil {
		return err
	}
	selection, err := selectionOf(s.flags)
	if err != nil {
		return err
	}
	set, err := s.openSet(s.flags)
	if err != nil {
		return err
	}
	if s.tasks, err = task.Parse(s.flags.String("tasks"), set.Subjects()); err != nil {
		return err
	}
	for _, task := range s.tasks {
		eval, err := evalOf(s.flags, task)
		if err != nil {
			return err
		}
		rules, err := ruleSetOf(s.flags, eval.Style.Rules, task.Name)
		if err != nil {
			return err
		}
		settings.RuleSet = rules.Name
		plan, err := runner.NewPlan(set, eval, selection, settings)
		if err != nil {
			return err
		}
		plan.Looked = s.looked
		s.plans, s.rules = append(s.plans, plan), append(s.rules, rules)
	}
	return nil
}

// openModel opens the model in the backend that the flags choose. A run that goes on has as many items in flight as it
// had before, unless a flag says otherwise: greedy text can depend on it.
func (s *sitting) openModel(ctx context.Context) (backends.Model, error) {
	options, err := s.modelOptions(s.flags)
	if err != nil {
		return nil, err
	}
	switch choice := s.flags.String("tune"); choice {
	case auto:
		options.Tune = true
	case "off":
	default:
		return nil, fmt.Errorf("--tune %s: give auto or off", choice)
	}
	if earlier := s.earlier(); earlier.Backend.Name != "" {
		options.Like = &earlier.Backend
	}
	return open.Model(ctx, options)
}

// prepare has the model size itself to the largest of the plans.
func (s *sitting) prepare(ctx context.Context) error {
	if err := s.converse(); err != nil {
		return err
	}
	work, err := s.workload()
	if err != nil {
		return err
	}
	var allocation backends.Allocation
	if planner, ok := s.model.(backends.Planner); ok {
		if allocation, err = planner.Plan(ctx, work); err != nil {
			return err
		}
		if !s.flags.Bool("quiet") {
			fmt.Fprintln(s.stderr, allocation.Told)
		}
	}
	if s.info, err = s.model.Info(ctx); err != nil {
		return err
	}
	if s.out == "" {
		s.out = filepath.Join("runs", s.folderName())
	}
	return s.checkFit(allocation.Unfit)
}

// converse turns the prompts into conversations where the flags ask for that.
func (s *sitting) converse() error {
	dialogue, err := dialogueOf(s.flags, s.model, s.begun())
	if err != nil || dialogue == nil {
		return err
	}
	think := s.flags.String("think")
	if think == auto {
		think = ""
	}
	for _, plan := range s.plans {
		if err := plan.Converse(*dialogue, think); err != nil {
			return err
		}
	}
	return nil
}

// workload is the largest that any of the plans asks for.
func (s *sitting) workload() (backends.Workload, error) {
	var work backends.Workload
	for _, plan := range s.plans {
		if tokenizer, ok := s.model.(backends.Tokenizer); ok {
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
	}
	return work, nil
}

// checkFit refuses a context that no item fits, or that a larger share of them than may does not, and warns where some
// do not.
func (s *sitting) checkFit(mayUnfit float64) error {
	context := s.info.Engine.Context
	if context == 0 {
		return nil
	}
	for i, plan := range s.plans {
		unfit := plan.Unfit(context)
		if unfit == 0 {
			continue
		}
		w := plan.Workload()
		what := fmt.Sprintf("%s: %d of %d prompts with %d tokens of answer do not fit a context of %d tokens; the longest needs %d",
			s.tasks[i], unfit, len(plan.Items), w.MaxTokens, context, w.PromptTokens+w.MaxTokens)
		share := float64(unfit) / float64(len(plan.Items))
		if share == 1 || mayUnfit > 0 && share > mayUnfit {
			return errors.New(what + ": lower --max-tokens or --shots, give a larger --ctx, or take a model with a longer context")
		}
		s.warn(what + ": they become HARNESS_ERROR, CTX_TRUNCATED")
	}
	return nil
}

// folderName is TIME-MODEL-TASK; of several tasks the number stands for them.
func (s *sitting) folderName() string {
	task := s.tasks[0].String()
	if len(s.tasks) > 1 {
		task = fmt.Sprintf("%d-tasks", len(s.tasks))
	}
	model := strings.TrimSuffix(filepath.Base(s.info.Model.Ref), ".gguf")
	model = strings.ReplaceAll(model, ":", "-") // of ollama:NAME:TAG
	return fmt.Sprintf("%s-%s-%s", s.now().Format("20060102-150405"), model, task)
}

// sitAll runs the plans. A gate that fails or an item that has no answer does not keep the later ones from running.
func (s *sitting) sitAll(ctx context.Context) error {
	var verdicts []error
	for i := range s.plans {
		err := s.sit(ctx, i)
		verdicts = append(verdicts, err)
		if err != nil && !errors.Is(err, errGate) && !errors.Is(err, errIncomplete) {
			break
		}
	}
	return errors.Join(verdicts...)
}

// folder is where plan i keeps its journal and its reports.
func (s *sitting) folder(i int) string {
	if len(s.plans) == 1 {
		return s.out
	}
	return filepath.Join(s.out, s.tasks[i].String())
}

// earlier reads how the run to go on with was begun; a zero header where there is none, or none that can be read:
// going on with it will tell what is wrong.
func (s *sitting) earlier() journal.Header {
	if !s.flags.Bool("resume") {
		return journal.Header{}
	}
	run, err := journal.Open(s.folder(0))
	if err != nil {
		return journal.Header{}
	}
	defer run.Close()
	return run.Header
}

// begun is when the run was begun: prompts that have a date keep it.
func (s *sitting) begun() time.Time {
	if earlier := s.earlier(); !earlier.Created.IsZero() {
		return earlier.Created
	}
	return s.now().UTC()
}

// sit runs plan i to its report.
func (s *sitting) sit(ctx context.Context, i int) error {
	plan, folder := s.plans[i], s.folder(i)
	header := plan.Header(s.info, open.Host(), version, s.now())
	header.Load = s.load
	writer, resume, err := s.keep(folder, header)
	if err != nil {
		return err
	}
	defer writer.Close()
	progress := s.progress(&header, s.rules[i], len(plan.Items), resume)
	asking := plan.Run(ctx, s.model, writer, resume, progress.item)
	progress.end()
	if err := writer.Close(); err != nil {
		return err
	}
	return s.conclude(ctx, folder, asking)
}

// keep begins a plan's journal, or goes on with it where the user asked for that.
func (s *sitting) keep(folder string, header journal.Header) (*journal.Writer, *journal.Resume, error) {
	if s.flags.Bool("resume") {
		writer, resume, err := journal.OpenAppend(folder, header)
		if err == nil {
			for _, warning := range resume.Warnings {
				s.warn(warning)
			}
		}
		// Of several tasks, the later ones may not have begun yet.
		if len(s.plans) == 1 || !errors.Is(err, fs.ErrNotExist) {
			return writer, resume, err
		}
	}
	writer, err := journal.Create(folder, header)
	return writer, &journal.Resume{}, err
}
