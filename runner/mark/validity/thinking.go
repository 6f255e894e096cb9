package validity

import (
	"fmt"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
)

// fewSilent is the number of completions without thinking after which the model is taken not to think, or the server to hide it.
const fewSilent = 8

// Thinking counts completions with and without thinking. A model or its server may ignore the setting.
type Thinking struct{ some, none int }

// Add counts a completion. One that the cap ended may have started to think in its prompt, which would show only at the end of its thinking.
func (t *Thinking) Add(r *journal.Record, thinks bool) {
	switch {
	case thinks:
		t.some++
	case r.Finish == backends.FinishStop:
		t.none++
	}
}

// Unheeded says where completions contradict the header's setting; nil where they follow it, or where it has none.
func (t *Thinking) Unheeded(h *journal.Header) *Reason {
	flag, all := setting.Think.As("on"), t.some+t.none
	wanted := h.Think == "on"
	if n := len(h.Budgets); n > 0 {
		flag, wanted = setting.ThinkBudget.String(), h.Budgets[n-1] > 0
	}
	switch {
	case h.Direct != nil:
	case h.Think == "off" && t.some > 0:
		return &Reason{"think_off", t.some, all, fmt.Sprintf("%s was not heeded: %s of %s completions show thinking", setting.Think.As("off"),
			format.Count(t.some), format.Count(all)),
			"switch it off at the server (llama-server --reasoning-budget 0), or take the score for one with thinking"}
	case wanted && t.some == 0 && t.none >= fewSilent:
		return &Reason{"think_on", t.none, all, fmt.Sprintf("%s changed nothing that shows: none of %s completions has thinking", flag,
			format.Count(all)), "the model does not think, or its server leaves the marks out (llama-server shows them with --special)"}
	}
	return nil
}
