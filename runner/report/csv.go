package report

import (
	"io"

	"proctor/runner/mark/metrics"
	"proctor/runner/report/page"
)

// named are the sections of a report's JSON whose members have figures of the same kind each.
var named = page.Named{"subjects": "subject", "by_options": "options", "by_prompt_tokens": "from", "rules": ""}

// leading are the columns that come first in a wide table: what was run, and what came out.
var leading = []string{
	"task", "pattern", "model.name", "model.quantization", "model.size_bytes", "model.bits_per_weight", "run.created",
	"run.dataset.name", "run.style", "run.shots", "run.prompt_mode", "rule_set", "items", "questions", "answered", "correct", "errors",
	"headline.name", "headline.value", "headline.ci.low", "headline.ci.high", "headline.baseline", "accuracy", "ci.low", "ci.high",
	"accuracy_answered", "baseline.expected", "baseline.p_value", "baseline.better_than_guessing", "chance_corrected",
	"macro_accuracy",
}

// writeWide writes one line a run. Where a run was opened by its path, that stands first.
func writeWide(w io.Writer, reports ...*metrics.Summary) error {
	var runs [][]page.Cell
	for _, r := range reports {
		cells, err := page.Wide(r, named, []string{"accuracy", "leaderboard_equivalent"}, leading,
			[]string{"by_options", "by_prompt_tokens", "letters", "direct.reliability", "warnings", "repeats", "sequential",
				"run.selection.population"})
		if err != nil {
			return err
		}
		if r.Path != "" {
			cells = append([]page.Cell{{Name: "path", Value: r.Path}}, cells...)
		}
		runs = append(runs, cells)
	}
	return page.CSVWide(w, runs)
}
