package grade_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
	"proctor/scripts/tests/errortest"
)

func init() { errortest.SpellFlags() }

func TestEveryTagAndCauseIsExplained(t *testing.T) {
	var names []string
	for _, tag := range grade.Tags {
		names = append(names, string(tag))
	}
	for _, cause := range backends.Causes {
		names = append(names, string(cause))
	}
	for _, name := range names {
		if e := grade.Explain(name); e.Words == "" || e.Means == "" || e.Remedy == "" {
			t.Errorf("%s is %q, means %q, and one does %q", name, e.Words, e.Means, e.Remedy)
		}
	}
	all := grade.Explanations(grade.Failed{Header: grade.NoRun})
	assert.Check(t, len(names) == len(all), "%d explanations of %d tags and causes", len(all), len(names))
	if got := grade.InWords("LENGTH"); got != "stopped by --max-tokens (LENGTH)" {
		t.Errorf("LENGTH in words: %s", got)
	}
	if got := grade.InWords("BOREDOM"); got != "BOREDOM" {
		t.Errorf("a cause without an explanation in words: %s", got)
	}
	assert.Check(t, is.Equal(grade.Explain("BOREDOM"), (grade.Explanation{})))
}

func TestARemedyLeavesOutWhatWasDone(t *testing.T) {
	headerWith := func(change func(h *journal.Header)) *journal.Header {
		h := &journal.Header{Setup: journal.Setup{Style: "tiger@1", Shots: 5, PromptMode: "chat"}}
		change(h)
		return h
	}
	plain, raw := headerWith(func(*journal.Header) {}), headerWith(func(h *journal.Header) { h.PromptMode, h.Model.ChatTemplateSHA256 = "raw", "ab" })
	own := func(style, system string) *journal.Header {
		return headerWith(func(h *journal.Header) { h.Style, h.System = style, system })
	}
	const tiger, agi, none = "tiger", "agi-evals", string(grade.NoAnswer)
	for name, c := range map[string]struct {
		rules, of string
		failed    grade.Failed
		want      string
	}{
		"no letter at all": {tiger, none, grade.Failed{Header: plain, Items: 5},
			"no rule set finds a letter in them: `proctor show RUN ID` shows them"},
		"no letter in what is shown": {tiger, none, grade.Failed{Header: plain, Items: 1, Shown: true, Cut: 1},
			"no rule set finds a letter in it; --max-tokens ended it"},
		"another rule set finds some": {tiger, none, grade.Failed{Header: plain, Items: 20, Other: "flexible", Found: 12},
			"--rules flexible finds a letter in 12 of them"},
		"option lists, and a template": {tiger, none, grade.Failed{Header: raw, Items: 9, Lists: 5},
			"a list of options ends 5 of them: the model does not follow the format of the examples; " +
				"no rule set finds a letter in them: `proctor show RUN ID` shows them; ask a chat model with --prompt chat"},
		"cut": {tiger, none, grade.Failed{Header: plain, Items: 9, Other: agi, Found: 1, Cut: 3},
			"--rules agi-evals finds a letter in 1 of them; --max-tokens ended 3 of them"},
		"another style's line": {agi, none, grade.Failed{Header: plain},
			"fix the prompt, not the grader: ask with --style agi-evals, or say \"end with `Answer: X`\" in --system"},
		"its own style, raw": {agi, none, grade.Failed{Cut: 1, Header: headerWith(func(h *journal.Header) {
			h.Style, h.PromptMode, h.Model.ChatTemplateSHA256 = "agi-evals@1", "raw", "ab"
		})}, "fix the prompt, not the grader: say \"end with `Answer: X`\" in --system, " +
			"or ask a chat model with --prompt chat, or raise --max-tokens, which ended 1 of them before the line"},
		"a style without reasoning": {agi, none, grade.Failed{Header: own("agi-evals-direct@1", "Do."), Items: 1, Cut: 1},
			"fix the prompt, not the grader: raise --max-tokens, which ended it before the line"},
		"all done": {agi, none, grade.Failed{Header: own("agi-evals@1", "Do.")},
			"fix the prompt, not the grader: it already asks for the line, and `proctor show RUN ID` shows how the model ends"},
		"a loop": {tiger, "LOOP", grade.Failed{Header: plain},
			"a larger cap changes nothing; --temperature 0.7 or a larger quantisation may help"},
		"a loop of a sampled run": {tiger, "LOOP", grade.Failed{Header: headerWith(func(h *journal.Header) { h.Sampling.Temperature = 0.8 })},
			"a larger cap changes nothing; a larger quantisation may help"},
		"a tool": {tiger, "TOOL_CALL", grade.Failed{Header: plain},
			"switch off the server's tools (vLLM: without --enable-auto-tool-choice), or use --prompt raw"},
		"a tool under raw prompts": {tiger, "TOOL_CALL", grade.Failed{Header: raw},
			"switch off the server's tools (vLLM: without --enable-auto-tool-choice)"},
		"too long without shots, in the model's whole context": {tiger, "CTX_TRUNCATED", grade.Failed{Header: headerWith(func(h *journal.Header) {
			h.Shots, h.Model.ContextLength, h.Backend.Context = 0, 2048, 2048
		})}, "lower --max-tokens, or use a model with a longer context"},
		"the cap": {tiger, "LENGTH", grade.Failed{Header: headerWith(func(h *journal.Header) { h.Sampling.MaxTokens = 2048 })},
			"run again with --max-tokens 16384"},
		"the cap of a model without room": {tiger, "LENGTH", grade.Failed{Header: headerWith(func(h *journal.Header) {
			h.Sampling.MaxTokens, h.Model.ContextLength = 2048, 4096
		})}, "the model's context of 4,096 tokens has no room for more"},
		"thinking that the cap ended, under --think off": {tiger, "THINK_UNCLOSED", grade.Failed{Items: 3, Cut: 2, Header: headerWith(
			func(h *journal.Header) { h.Think, h.Sampling.MaxTokens = "off", 2048 })},
			"run again with --think-budget 16384 or --max-tokens 16384"},
		"thinking without an end": {tiger, "THINK_UNCLOSED", grade.Failed{Header: plain, Items: 3},
			"run again with --think off, or see with `proctor show RUN ID` where the thinking should end"},
		"thinking without an end, under --think off, shown": {tiger, "THINK_UNCLOSED",
			grade.Failed{Items: 1, Shown: true, Header: headerWith(func(h *journal.Header) { h.Think = "off" })},
			"see where the thinking should end"},
		"one request in flight": {tiger, "TIMEOUT", grade.Failed{Header: headerWith(func(h *journal.Header) { h.Backend.Slots = 1 })},
			"raise --timeout, then --resume"},
		"no tag": {tiger, "", grade.Failed{Header: plain}, ""},
	} {
		set, err := grade.Lookup(c.rules)
		assert.NilError(t, err)
		got := set.Remedy(c.of, c.failed)
		assert.Check(t, got == c.want, "%s: %s\nwant %s", name, got, c.want)
	}
}

func TestWhoSeesAnItemIsNotSentToIt(t *testing.T) {
	for _, e := range grade.Explanations(grade.Failed{Header: grade.NoRun, Shown: true}) {
		assert.Check(t, !strings.Contains(e.Remedy, "proctor show"), "%s: %s", e.Name, e.Remedy)
	}
}
