package grade_test

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
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
	assert.Check(t, len(names) == len(grade.Explanations()), "%d explanations of %d tags and causes", len(grade.Explanations()), len(names))
	if got := grade.InWords("LENGTH"); got != "stopped by --max-tokens (LENGTH)" {
		t.Errorf("LENGTH in words: %s", got)
	}
	if got := grade.InWords("BOREDOM"); got != "BOREDOM" {
		t.Errorf("a cause without an explanation in words: %s", got)
	}
	assert.Check(t, is.Equal(grade.Explain("BOREDOM"), (grade.Explanation{})))
}

func TestARemedyLeavesOutWhatWasDone(t *testing.T) {
	for name, c := range map[string]struct {
		rules string
		asked grade.Asked
		want  string
	}{
		"no letter at all": {"tiger", grade.Asked{Style: "tiger@1"},
			"no rule set finds a letter in them: `proctor show RUN ID` has what they say"},
		"another rule set finds some": {"tiger", grade.Asked{Style: "tiger@1", Other: "flexible", Found: 12},
			"--rules flexible finds a letter in 12 of them"},
		"option lists, and a template": {"tiger", grade.Asked{Style: "tiger@1", Lists: 5, Raw: true},
			"5 end in a list of options: the model does not follow the format of the examples; " +
				"no rule set finds a letter in them: `proctor show RUN ID` has what they say; ask a chat model with --prompt chat"},
		"cut": {"tiger", grade.Asked{Style: "tiger@1", Other: "agi-evals", Found: 1, Cut: 3},
			"--rules agi-evals finds a letter in 1 of them; --max-tokens ended 3 of them"},
		"another style's line": {"agi-evals", grade.Asked{Style: "tiger@1"},
			"mend the prompt, not the grader: ask with --style agi-evals, or say \"end with `Answer: X`\" in --system"},
		"its own style, raw": {"agi-evals", grade.Asked{Style: "agi-evals@1", Raw: true, Cut: 1},
			"mend the prompt, not the grader: say \"end with `Answer: X`\" in --system, " +
				"or ask a chat model with --prompt chat, or raise --max-tokens, which ended some before the line"},
		"a style without reasoning": {"agi-evals", grade.Asked{Style: "agi-evals-direct@1", System: true, Cut: 1},
			"mend the prompt, not the grader: raise --max-tokens, which ended some before the line"},
		"all done": {"agi-evals", grade.Asked{Style: "agi-evals@1", System: true},
			"mend the prompt, not the grader: it asks for the line already, and `proctor show RUN ID` has what the model ends with"},
	} {
		set, err := grade.Lookup(c.rules)
		assert.NilError(t, err)
		got := set.Remedy(c.asked)
		assert.Check(t, got == c.want, "%s: %s\nwant %s", name, got, c.want)
	}
}
