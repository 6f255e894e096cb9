// Command throughput measures how fast proctor and a real Ollama sit the same 5-shot exam on this machine.
//
//	go run ./scripts/throughput [-questions 48] [-tokens 64] [-repeat 1] [-model model.gguf] [-data FOLDER]
//
// Each way of answering gets the same prompts in the same order, the same sampling and the same cap, alone on the
// machine: proctor with the settings it chooses and with 1 to 24 slots, plain loops over one sequence that reuse
// nothing, and Ollama with 1 to 8 requests in flight. The model has random weights and answers as fast as one that was
// trained. What is timed begins when a way is ready: the model is loaded and has answered a short prompt. With -repeat
// everything is done again, way after way, and the table shows each way's median. `make bench` runs it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"proctor/backends/machine"
)

// folder is where the model is kept between runs.
var folder = filepath.Join("build", "throughput")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "throughput:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("throughput", flag.ExitOnError)
	var w workload
	flags.IntVar(&w.questions, "questions", 48, "`number` of questions")
	flags.IntVar(&w.tokens, "tokens", 64, "`number` of tokens to generate for each")
	flags.StringVar(&w.data, "data", "", "question set (default: ../shared/data/mmlu-pro where it is, else the bundled sample)")
	flags.StringVar(&w.subject, "subject", "business", "`subject` of the questions; of a set that has too few, all subjects are asked")
	model := flags.String("model", "", "GGUF `file` (default: 100 million random weights in Q4_K_M, made once in "+folder+")")
	threads := flags.Int("threads", machine.Cores(), "`number` of threads, of each engine")
	repeat := flags.Int("repeat", 1, "do everything `N` times")
	flags.Parse(args)
	if w.questions < 1 || w.tokens < 1 || *threads < 1 || *repeat < 1 || flags.NArg() > 0 {
		return fmt.Errorf("-questions, -tokens, -threads and -repeat must be above 0, and nothing else can be given")
	}
	if *model == "" {
		var err error
		if *model, err = randomModel(folder); err != nil {
			return err
		}
	}
	exam, err := newExam(*model, w)
	if err != nil {
		return err
	}
	measured, err := measure(ctx, ways(exam, *threads), *repeat)
	if err != nil {
		return err
	}
	return lay(exam, *threads, measured).Text(os.Stdout)
}
