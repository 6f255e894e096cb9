// Package running holds the commands that ask models, or say what that takes: run, sweep, score, imatrix, plan.
package running

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/cmd/proctor/options"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/ask/shard"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/report"
	"proctor/runner/report/page"
)

// maxRepeats is small enough that the repeats of all items have different seeds.
const maxRepeats = 1000

type runOptions struct {
	asking
	shown     string // the model's name in reports
	shard     *shard.Part
	again     []string // items of a run that goes on, see package again
	like      string   // run whose questions are asked first
	notes     []string // of that, for the journal
	format    report.Format
	failBelow *float64
	serve     string // where; empty for nowhere
}

// Run asks a model every question.
func Run(p *console.Program) *cli.Command {
	o := runOptions{asking: asking{model: options.Showing(p)}}
	o.config.Foreign = true
	return &cli.Command{
		Name:        "run",
		Usage:       "ask a model every question, keep its answers in a journal, report",
		ArgsUsage:   "[MODEL] " + flags.SetArgument,
		Description: runHelp,
		Flags:       o.cliFlags(),
		Before:      o.before(p.Args, func(c *cli.Context) error { return o.takeSettings(c, p.Args) }, o.refusals()),
		Action: func(c *cli.Context) (err error) {
			if !o.resume || c.NArg() == 0 {
				if err := options.OneModel(c); err != nil {
					return err
				}
			}
			if o.format, err = page.Chosen(report.Formats, report.Full, o.format.Name, "", o.full); err != nil {
				return err
			}
			if done, err := o.config.Print(p.Stdout, c); done {
				return err
			}
			o.model.Given, o.flags = c.LocalFlagNames(), flagsGiven(c)
			if o.shard != nil { // what auto came to
				o.flags["shard"], o.model.Tune = []string{o.shard.String()}, false
			}
			return runEvals(c.Context, p, o)
		},
	}
}

// runHelp is what help says of it.
const runHelp = "Without flags it runs the embedded control model on the bundled sample.\n" +
	"\n" +
	"   proctor run model-Q4_K_M.gguf --data mmlu-pro/ --limit 700           or --model, or -m\n" +
	"   proctor run --model model-Q4_K_M.gguf --gpu-layers auto              `doctor` lists the GPUs\n" +
	"   proctor run --model ollama:llama3.2:3b --concurrency 4               an Ollama server\n" +
	"   proctor run --model openai:qwen3-8b --servers 10.0.0.5:8000          llama-server, vLLM, LM Studio\n" +
	"   proctor run --model model-Q4_K_M.gguf --dry-run                      show the plan, ask nothing\n" +
	"   proctor run --resume runs/q4                                         continue with the same flags\n" +
	flags.More +
	"   proctor run model-Q4_K_M.gguf mmlu-pro                               an imported set by its name, or --data\n" +
	"   proctor run --model model-Q4_K_M.gguf --tasks mmlu_pro_math,mmlu_pro_physics --out runs/q4\n" +
	"   proctor run --model model-Q4_K_M.gguf --until-half-width 2pp         stop at this precision\n" +
	"   proctor run --model model-Q4_K_M.gguf --until-decided runs/q8 --margin 2pp\n" +
	"      stop at a verdict\n" +
	"   proctor run --model ollama:llama3.2:3b --in-process                  its file, without the server\n" +
	"   proctor run --model model-Q4_K_M.gguf --shard 2/16 --out runs/q4/2   one of 16 machines; then merge\n" +
	"   proctor run --model model-Q4_K_M.gguf --direct                       no reasoning: minutes, not hours\n" +
	"   proctor run --resume runs/q4 --limit 1400                            extend the same draw\n" +
	"   proctor run --resume runs/q4 --again LENGTH,NO_ANSWER --max-tokens 8192   under a larger cap\n" +
	"   proctor run --model model-Q8_0.gguf --like runs/q4                   the questions of another run\n" +
	"   proctor run --model model-Q4_K_M.gguf --serve 127.0.0.1:8080         live report in a browser\n" +
	"\n" +
	"Ctrl-C ends the run: it keeps and reports the answers so far, and --resume continues.\n" +
	format.Typed

// cliFlags are the flags of the command.
func (o *runOptions) cliFlags() []cli.Flag {
	return slices.Concat(o.questionFlags(), effortFlags(&o.settings), decidedFlags(&o.settings.UntilDecided), shardFlags(&o.shard, &o.form),
		o.modelFlags(), o.resultFlags("run", "runs/TIME-MODEL-TASK", "show the first prompt, memory and time; ask and write nothing"),
		[]cli.Flag{
			flags.Text(&o.like, "like", "QUESTIONS", "", "ask the questions of `RUN` first, with its --limit, --seed and --subjects"),
			flags.Text(&o.shown, "display-name", "MODEL", "the model's own", "show the model as `NAME` in reports and comparisons"),
			againFlag(&o.again),
			flags.Format(&o.format, "report", report.Formats),
			flags.OfShare(cli.StringFlag{
				Name: "fail-below", DefaultText: "no gate", Category: "RESULT",
				Usage: "exit 1 if the lower bound of the score's interval is below `X`, as in 50%",
			}, flags.Share{Given: &o.failBelow}),
			console.ServeFlag(&o.serve),
		}, o.config.Flags(""))
}

// refusals are of flags that do not go together.
func (o *runOptions) refusals() []flags.Refusal {
	greedy := func() bool { return o.settings.Sampling.Temperature == 0 }
	return []flags.Refusal{
		{Flags: "first", With: "until-half-width until-decided", Why: "does not go with --until-half-width and --until-decided, which draw " +
			"their questions from all subjects"},
		{Flags: "until-decided", With: "until-half-width", Why: "and --until-half-width both say when to stop: give one"},
		{Flags: "until-half-width", With: "like", Why: "draws its questions by chance: leave --like out"},
		{Flags: "until-decided", With: "like", Why: "asks that run's questions: leave --like out"},
		{Flags: "margin in-proportion", Without: "until-decided", Why: "goes with --until-decided RUN"},
		{Flags: "dry-run", With: "resume fail-below full serve", Why: "asks and reports nothing: leave --resume, --fail-below, --full and " +
			"--serve out"},
		{Flags: "quiet", With: "progress serve", Why: "shows no progress: leave --progress and --serve out; --progress none keeps notes and " +
			"warnings"},
		{Flags: "again", Without: "resume", Why: "asks items of a run that is there: give --resume RUN"},
		{Flags: "like", With: "resume", Why: "draws the questions of a new run: one that is resumed keeps its own"},
		{Flags: "top-k top-p min-p", When: greedy, Why: "has no effect at --temperature 0, which always takes the likeliest token"},
		{Flags: "until-half-width", With: "shard", Why: "stops by an interval over all questions asked, which no shard knows: leave --shard " +
			"out, or ask as many as proctor plan --half-width says"},
		{Flags: "tune", With: "shard", Why: "tries out settings that all shards must share, and could choose others on each machine: a shard " +
			"takes none; give --slots and the like where they should not be the defaults"},
	}
}

// effortFlags say how much is asked: how often, and until when.
func effortFlags(o *ask.Settings) []cli.Flag {
	return []cli.Flag{
		flags.Switch(&o.ShotsFit, "shots-fit", "QUESTIONS", "show fewer examples where a prompt does not fit the context (default: leave it out)"),
		flags.Switch(&o.KeepLogprobs, "keep-logprobs", "QUESTIONS",
			"keep the 20 likeliest tokens per position for `score` (about 30 kB an answer)"),
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
		flags.Switch(&o.StopAtAnswer, "stop-at-answer", category,
			"end a completion once its answer is final; needs raw prompts and --rules "+
				grade.Names(grade.Deciding(task.All[0].Name))),
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

func runEvals(ctx context.Context, p *console.Program, o runOptions) error {
	o.begin(p)
	asked, err := o.asked(p)
	if err != nil {
		return err
	}
	if o.dryRun {
		return forecast(ctx, p, o, asked)
	}
	monitor, err := p.Monitor(o.progress, o.serve)
	if err != nil {
		return err
	}
	defer monitor.Close()
	if !monitor.Draws() {
		o.model.Draw = nil
	}
	options := o.session(p)
	options.Observer = observer(p, monitor, o.settings.UntilHalfWidth)
	session, err := ask.New(ctx, options, asked, o.open)
	if err != nil {
		return err
	}
	defer session.Close()
	registry.OnAbort(func(err error) { abandonRun(p, err, session) })
	r := results{Program: p, session: session, format: o.format}
	stopped := session.Run(ctx, func(outcome ask.Outcome) error {
		monitor.End()
		return r.add(ctx, outcome, o.failBelow)
	})
	return r.end(stopped)
}

// asked is what is asked, and how.
func (o *runOptions) asked(p *console.Program) (ask.Evals, error) {
	set, err := options.OpenAsked(p, &o.Eval)
	if err != nil {
		return ask.Evals{}, err
	}
	if err := beginAs(p, o, set); err != nil {
		return ask.Evals{}, err
	}
	evals, err := o.Evals(set)
	if err != nil {
		return ask.Evals{}, err
	}
	o.settings.Sampling.Seed = uint32(o.Selection.Seed)
	o.thinking()
	asked := ask.Evals{Set: set, Evals: evals, Selection: o.Selection, Settings: o.settings}
	return asked, cmp.Or(o.checkDirect(evals), report.Together(o.format, len(evals)))
}

// session are the settings of the run.
func (o *runOptions) session(p *console.Program) ask.Options {
	s := o.asking.session(p)
	s.Resume, s.Again, s.Shard, s.Flags, s.Notes, s.Shown = o.resume, o.again, o.shard, o.flags, o.notes, o.shown
	return s
}

// open opens the model. A run that goes on has as many items in flight as it had before, unless a flag says otherwise: greedy text
// can depend on it.
func (o *runOptions) open(ctx context.Context, earlier backends.EngineInfo) (backends.Model, error) {
	if earlier.Name != "" {
		o.model.Like = &earlier
	}
	return registry.Model(ctx, o.model)
}

// forecast shows what a run would do.
func forecast(ctx context.Context, p *console.Program, o runOptions, asked ask.Evals) error {
	format, err := ask.ForecastFormats.Named(o.format.Name)
	if err != nil {
		return err
	}
	forecast, err := ask.Foresee(ctx, o.session(p), asked, o.open)
	if err != nil {
		return err
	}
	return format.Write(p.Stdout, forecast)
}
