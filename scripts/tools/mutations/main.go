package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	beChild()
	bad, err := run(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutations:", err)
		os.Exit(2)
	}
	if bad > 0 {
		os.Exit(1)
	}
}

type options struct {
	number, first, jobs int
	seed                uint64
	keep                string // folder for files that do what none must; empty: nowhere
	list                bool   // say what became of every file
}

func run(args []string, out io.Writer) (bad int, err error) {
	flags := flag.NewFlagSet("mutations", flag.ExitOnError)
	var o options
	flags.IntVar(&o.number, "n", 2000, "how many files to try")
	flags.IntVar(&o.first, "first", 0, "the number of the first one")
	only := flags.Int("only", -1, "try the file of this number alone")
	flags.IntVar(&o.jobs, "j", 1, "how many to try at a time")
	flags.Uint64Var(&o.seed, "seed", 1, "of all that is left to chance")
	flags.StringVar(&o.keep, "keep", "", "keep files that do what none must in this `folder`; with -only the one")
	flags.BoolVar(&o.list, "list", false, "say what became of every file")
	flags.Parse(args)
	if *only >= 0 {
		o.first, o.number, o.list = *only, 1, true
	}
	program, err := os.Executable()
	if err != nil {
		return 0, err
	}
	return try(program, o, out)
}
