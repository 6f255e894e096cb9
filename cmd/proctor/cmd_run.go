package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/cmd/proctor/flags"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/ask/shard"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/metrics"
	"proctor/runner/report"
)

// maxRepeats is more than anybody asks for, and few enough for every item's repeats to have seeds of their own.
const maxRepeats = 1000

type runOptions struct {
	evalOptions
	settings  ask.Settings
	form      ask.Form
	model     registry.Options
	out       string // empty for one that the session names
	shard     *shard.Part
	resume    bool
	like      string              // run whose questions are asked first
	notes     []string            // of that, for the journal
	taken     string              // from the journal of a run that goes on, for people
	flags     map[string][]string // for the journal
	format    report.Format
	full      bool // all of it, in text and markdown
	failBelow *float64
	dryRun    bool
	fsync     journal.Fsync
	progress  string // how it is told
	serve     string // where; empty for nowhere
}

func (p *program) run() *cli.Command {
	o := runOptions{model: p.showing()}
	greedy := func(func(string) bool) bool { return o.settings.Sampling.Temperature == 0 }
	const noEffect = " has no effect at --temperature 0, which always takes the likeliest token"
	return &cli.Command{
		Name:  "run",
		Usage: "ask a model every question, keep its answers in a journal, report",
		Description: "Without flags it runs the embedded control model on the bundled sample.\n" +
			"\n" +
			"   proctor run --model model-Q4_K_M.gguf --data mmlu-pro/ --limit 700\n" +
			"   proctor run --model model-Q4_K_M.gguf --gpu-layers auto              `doctor` lists the GPUs\n" +
			"   proctor run --model ollama:llama3.2:3b --concurrency 4               an Ollama server\n" +
			"   proctor run --model openai:qwen3-8b --servers 10.0.0.5:8000          llama-server, vLLM, LM Studio\n" +
			"   proctor run --model model-Q4_K_M.gguf --dry-run                      show the plan, ask nothing\n" +
			"   proctor run --resume runs/q4                                         continue with the same flags\n" +
			flags.More +
			"   proctor run --model model-Q4_K_M.gguf --tasks mmlu_pro_math,mmlu_pro_physics --out runs/q4\n" +
			"   proctor run --model model-Q4_K_M.gguf --until-half-width 2pp         stop at this precision\n" +
			"   proctor run --model model-Q4_K_M.gguf --until-decided runs/q8 --margin 1ppstop at a verdict\n" +
			"   proctor run --model ollama:llama3.2:3b --in-process                  its file, without the server\n" +
			"   proctor run --model model-Q4_K_M.gguf --shard 2/16 --out runs/q4/2   one of 16 machines; then merge\n" +
			"   proctor run --model model-Q4_K_M.gguf --direct                       no reasoning: minutes, not hours\n" +
			"   proctor run --resume runs/q4 --limit 1400                            extend the same draw\n" +
			"   proctor run --model model-Q8_0.gguf --like runs/q4                   the questions of another run\n" +
			"   proctor run --model model-Q4_K_M.gguf --serve 127.0.0.1:8080         live report in a browser\n" +
			"\n" +
			"Ctrl-C ends the run: the answers so far are kept and reported, and --resume continues.\n" +
			format.Typed,
		Flags: slices.Concat(evalFlags(&o.evalOptions), effortFlags(&o.settings), decidedFlags(&o.settings.UntilDecided),
			shardFlags(&o.shard, &o.form), promptFlags(&o.form), modelFlags(&o.model), gpuFlags(&o.model),
			serverFlags(&o.model), []cli.Flag{tuneFlag(&o.model), p.isolateFlag(&o.model)}, samplingFlags(&o.settings),
			penaltyFlags(&o.settings.Sampling), []cli.Flag{
				likeFlag(&o.like), flags.Stop(&o.settings.Stop),
				&cli.StringFlag{
					Name: "out", Destination: &o.out, Usage: "write the run into `DIR` (default: runs/TIME-MODEL-TASK)", Category: "RESULT",
				},
				&cli.BoolFlag{
					Name: "resume", Destination: &o.resume, Category: "RESULT",
					Usage: "continue the run in --out or the given DIR; a larger --limit extends it",
				},
				&cli.BoolFlag{
					Name: "dry-run", Destination: &o.dryRun, Category: "RESULT",
					Usage: "show the first prompt, memory and time; ask and write nothing",
				},
				fsyncFlag(&o.fsync),
				rulesFlag(&o.settings.RuleSet, "the style's own"),
				flags.Format(&o.format, "report", report.Formats),
				flags.Full(&o.full),
				flags.OfShare(cli.StringFlag{
					Name: "fail-below", DefaultText: "no gate", Category: "RESULT",
					Usage: "exit 1 if the lower bound of the score's interval is below `X`, as in 50%",
				}, flags.Share{Given: &o.failBelow}),
				progressFlag(&o.progress), serveFlag(&o.serve),
				&cli.BoolFlag{
					Name: "quiet", Aliases: []string{"q"}, Destination: &o.model.Quiet, Category: "RESULT",
					Usage: "show errors only: no progress, notes or warnings",
				},
			}),
		Before: o.resuming(p.args, append(slices.Concat(ofGPUs(), ofShards()), firstOfHowMany,
			flags.Refuse("first", flags.With("until-half-width"), "--first does not go with --until-half-width, which draws its questions from all "+
				"subjects"),
			flags.Refuse("first", flags.With("until-decided"), "--first does not go with --until-decided, which draws its questions from all "+
				"subjects"),
			flags.Refuse("until-decided", flags.With("until-half-width"), "--until-decided and --until-half-width both say when to stop: give one"),
			flags.Refuse("until-half-width", flags.With("like"), "--until-half-width draws its questions by chance: leave --like out"),
			flags.Refuse("until-decided", flags.With("like"), "--until-decided asks that run's questions: leave --like out"),
			flags.Refuse("margin", flags.Without("until-decided"), "--margin goes with --until-decided RUN"),
			flags.Refuse("dry-run", flags.With("resume", "fail-below", "full", "serve"), "--dry-run asks and reports nothing: leave --resume, "+
				"--fail-below, --full and --serve out"),
			flags.Refuse("quiet", flags.With("progress", "serve"), "--quiet shows no progress: leave --progress and --serve out; --progress none "+
				"keeps notes and warnings"),
			flags.Refuse("like", flags.With("resume"), "--like draws the questions of a new run: one that is resumed keeps its own"),
			flags.Refuse("top-k", greedy, "--top-k"+noEffect),
			flags.Refuse("top-p", greedy, "--top-p"+noEffect),
			flags.Refuse("min-p", greedy, "--min-p"+noEffect),
		)...),
		Action: func(c *cli.Context) (err error) {
			if o.format, err = report.Chosen(o.format.Name, "", o.full); err != nil {
				return err
			}
			o.model.Given, o.flags = c.LocalFlagNames(), flagsGiven(c)
			if o.shard != nil { // what auto came to
				o.flags["shard"], o.model.Tune = []string{o.shard.String()}, false
			}
			act := func(c *cli.Context) error { return p.runEvals(c.Context, o) }
			if o.resume && c.NArg() == 1 {
				return act(c)
			}
			return flags.Only(act)(c)
		},
	}
}

// effortFlags say how much is asked: how often, and until when.
func effortFlags(o *ask.Settings) []cli.Flag {
	return []cli.Flag{
		repeatsFlag(&o.Repeats),
		&cli.BoolFlag{
			Name: "keep-logprobs", Destination: &o.KeepLogprobs, Category: "QUESTIONS",
			Usage: "keep the 20 likeliest tokens per position for `score` (about 30 kB an answer)",
		},
		flags.OfPoints(cli.StringFlag{
			Name: "until-half-width", DefaultText: "ask all", Category: "QUESTIONS",
			Usage: "stop once the score's 95 % interval is within ± `X`, as in 2pp",
		}, flags.Share{To: &o.UntilHalfWidth, Least: flags.Open(0), Most: flags.Open(0.5)}),
	}
}

func repeatsFlag(to *int) cli.Flag {
	return &cli.IntFlag{
		Name: "repeats", Value: 1, Destination: to, Category: "QUESTIONS",
		Usage: "ask each item `K` times with different seeds; at temperature 0 this shows the noise",
		Action: flags.Valid("repeats", func(n int) bool { return n >= 1 && n <= maxRepeats },
			fmt.Sprintf("ask every item 1 to %d times", maxRepeats)),
	}
}

func tuneFlag(o *registry.Options) cli.Flag {
	o.Tune = true
	return &cli.StringFlag{
		Name: "tune", Value: flags.Auto, Category: "MODEL",
		Usage: "try slots and batch sizes before a long run and remember the fastest: auto or off",
		Action: func(_ *cli.Context, choice string) error {
			o.Tune = choice == flags.Auto
			return flags.Valid("tune", func(choice string) bool { return choice == flags.Auto || choice == "off" }, "give auto or off")(nil, choice)
		},
	}
}

// samplingFlags say how tokens are drawn and how many.
func samplingFlags(o *ask.Settings) []cli.Flag {
	const category = "SAMPLING"
	const negative = "it cannot be negative"
	o.Sampling.TopP = 1
	return []cli.Flag{
		&cli.IntFlag{
			Name: "max-tokens", Value: 2048, Destination: &o.MaxTokens, Usage: "end a completion after `N` tokens", Category: category,
			Action: flags.Valid("max-tokens", func(n int) bool { return n >= 1 }, "a completion needs at least 1 token"),
		},
		&cli.BoolFlag{
			Name: "stop-at-answer", Destination: &o.StopAtAnswer, Category: category,
			Usage: "end a completion once its answer is final; needs raw prompts and --rules " +
				grade.Names(grade.Deciding(task.All[0].Name)),
		},
		&cli.Float64Flag{
			Name: "temperature", Destination: &o.Sampling.Temperature, Usage: "sampling temperature `T`; 0 is greedy", Category: category,
			Action: flags.Valid("temperature", func(t float64) bool { return t >= 0 }, negative),
		},
		&cli.IntFlag{
			Name: "top-k", DefaultText: "all", Destination: &o.Sampling.TopK, Category: category,
			Usage: "sample from the `K` likeliest tokens", Action: flags.Valid("top-k", func(k int) bool { return k >= 0 }, negative),
		},
		flags.OfShare(cli.StringFlag{
			Name: "top-p", DefaultText: "all", Category: category,
			Usage: "sample from the likeliest tokens with total probability `P`, as in 0.95",
		}, flags.Share{To: &o.Sampling.TopP, Least: flags.Open(0)}),
		flags.OfShare(cli.StringFlag{
			Name: "min-p", DefaultText: "none dropped", Category: category,
			Usage: "drop tokens below `P` times the likeliest one's probability, as in 0.05",
		}, flags.Share{To: &o.Sampling.MinP, Most: flags.Open(1)}),
	}
}

func (p *program) runEvals(ctx context.Context, o runOptions) error {
	p.quiet = o.model.Quiet
	p.objects = o.progress == byJSON
	if o.taken != "" {
		p.note(o.taken)
	}
	session := &ask.Session{Out: o.out, Resume: o.resume, Shard: o.shard, Version: version, Flags: o.flags, Host: registry.Host, Now: p.now,
		Warn: p.warn, Fsync: o.fsync}
	if !o.model.Quiet {
		session.Ahead, session.Told = p.ahead, p.note
		session.Interim = p.interim(o.settings.UntilHalfWidth)
	}
	set, err := p.openAsked(&o.evalOptions)
	if err != nil {
		return err
	}
	if err := p.alike(&o, set); err != nil {
		return err
	}
	session.Notes = o.notes
	evals, err := o.evals(set)
	if err != nil {
		return err
	}
	if err := cmp.Or(o.checkDirect(evals), report.Together(o.format, len(evals))); err != nil {
		return err
	}
	o.settings.Sampling.Seed = uint32(o.selection.Seed)
	if err := session.Plan(set, evals, o.selection, o.settings); err != nil {
		return err
	}
	if o.dryRun {
		return p.forecast(ctx, session, o)
	}
	registry.OnAbort(func(err error) { p.abandonRun(err, session) })
	told, err := p.watch(session, &o)
	if err != nil {
		return err
	}
	defer told.close()
	model, err := p.prepare(ctx, session, o)
	if err != nil {
		return err
	}
	defer model.Close()
	var verdicts []error
	var reports []*metrics.Summary
	stopped := session.Run(ctx, func(outcome ask.Outcome) error {
		told.end()
		reports = append(reports, outcome.Report)
		if !report.InOneDocument(o.format) {
			if err := o.format.Write(p.stdout, outcome.Report); err != nil {
				return err
			}
		}
		verdicts = append(verdicts, o.verdict(ctx, outcome, p.goOnWith(session)))
		return nil
	})
	write := report.WriteCombined
	if report.InOneDocument(o.format) && len(reports) > 0 {
		write = report.WriteSeveral
	}
	written := write(p.stdout, o.format, reports)
	if len(reports) > 0 && !o.model.Quiet && stopped == nil {
		p.saved(session, len(reports))
	}
	verdict := errors.Join(verdicts...)
	if unsaved := (*ask.UnsavedError)(nil); errors.Is(verdict, errIncomplete) && errors.As(stopped, &unsaved) {
		stopped = nil // the same command mends both
	}
	return errors.Join(verdict, p.kept(session, stopped), written)
}

// prepare opens the model and has it get ready for the session. A run that goes on has as many items in flight as it
// had before, unless a flag says otherwise: greedy text can depend on it.
func (p *program) prepare(ctx context.Context, session *ask.Session, o runOptions) (backends.Model, error) {
	if earlier := session.Earlier(); earlier.Backend.Name != "" {
		o.model.Like = &earlier.Backend
	}
	began := p.now()
	model, err := registry.Model(ctx, o.model)
	if err != nil {
		return nil, err
	}
	if err := session.Prepare(ctx, model, o.form, began); err != nil {
		return nil, errors.Join(err, model.Close())
	}
	return model, nil
}

// forecast shows what a run would do.
func (p *program) forecast(ctx context.Context, session *ask.Session, o runOptions) error {
	format, err := ask.ForecastFormats.Named(o.format.Name)
	if err != nil {
		return err
	}
	model, err := registry.Model(ctx, o.model)
	if err != nil {
		return err
	}
	defer model.Close()
	forecast, err := session.Forecast(ctx, model, o.form)
	if err != nil {
		return err
	}
	return format.Write(p.stdout, forecast)
}

// ahead says what a run is going to take, and on a terminal how to end it.
func (p *program) ahead(line string) {
	if p.terminal {
		line += "; Ctrl-C ends it and keeps what was answered"
	}
	p.note(line)
}

// goOnWith is the command line that goes on with the run.
func (p *program) goOnWith(session *ask.Session) string {
	return p.goOn("run", session.Out, session.Flags)
}
