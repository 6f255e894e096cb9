package reading

import (
	"cmp"
	"fmt"
	"io"

	"proctor/cmd/proctor/console"
	"proctor/runner/mark/pairs"
	pool "proctor/runner/mark/pooled"
	"proctor/runner/report/pooled"
)

// poolRuns writes one decision of all tasks, in any format, and nothing else. A gate is of that decision.
func poolRuns(p *console.Program, tasks [][]string, o compareOptions) error {
	format, err := pooled.Formats.Of(o.format, o.out)
	if err != nil {
		return err
	}
	var compared []*pairs.Comparison
	for _, task := range tasks {
		c, err := pairs.Of(task, o.Options)
		if err != nil {
			return err
		}
		compared = append(compared, c)
	}
	decided, err := pool.Of(compared)
	if err != nil {
		return fmt.Errorf("--pooled: %w", err)
	}
	return cmp.Or(console.Write(p, o.out, format, decided), o.judgePooled(decided))
}

// writeDecision writes what the tasks come to together below their comparisons: a few lines, or with everything its tables.
func writeDecision(p *console.Program, out io.Writer, tasks []*pairs.Comparison, o compareOptions) error {
	if len(tasks) < 2 {
		return nil
	}
	decided, err := pool.Of(tasks)
	if err != nil {
		p.Warn("no decision of all tasks together: " + err.Error())
		return nil
	}
	formats := pooled.Short
	if o.full {
		formats = pooled.Formats
	}
	format, err := formats.Of(o.format, o.out)
	if err != nil {
		return err
	}
	return format.Write(out, decided)
}

// judgePooled returns the gate's failure.
func (o compareOptions) judgePooled(p *pool.Pooled) error {
	if o.gate == "" {
		return nil
	}
	var undecided error
	for _, pair := range p.Pairs {
		failed := func(kind error) error { return fmt.Errorf("%w: --gate %s: %s", kind, o.gate, pair.Verdict) }
		switch {
		case pair.Decision == pairs.Worse:
			return failed(console.ErrGate)
		case pair.Decision == "":
			return failed(console.ErrInvalid)
		case (pair.NonInferior == nil || !*pair.NonInferior) && undecided == nil:
			undecided = failed(console.ErrUndecided)
		}
	}
	return undecided
}
