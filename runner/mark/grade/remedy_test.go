package grade_test

import (
	"testing"

	"proctor/runner/mark/grade"
)

func TestARemedyLeavesOutWhatWasDone(t *testing.T) {
	for name, c := range map[string]struct {
		rules  string
		asked  grade.Asked
		capped bool
		want   string
	}{
		"raw, cut by the cap": {"tiger", grade.Asked{Style: "tiger@1", Raw: true}, true,
			"look at the prompt mode (--prompt chat for a chat model), the cap (--max-tokens) and the rule set (--rules)"},
		"raw, none cut": {"tiger", grade.Asked{Style: "tiger@1", Raw: true}, false,
			"look at the prompt mode (--prompt chat for a chat model) and the rule set (--rules)"},
		"a chat, none cut": {"tiger", grade.Asked{Style: "tiger@1"}, false, "look at the rule set (--rules)"},
		"another style's line": {"agi-evals", grade.Asked{Style: "tiger@1"}, false,
			"mend the prompt, not the grader: ask with --style agi-evals, or say \"end with `Answer: X`\" in --system"},
		"its own style, raw": {"agi-evals", grade.Asked{Style: "agi-evals@1", Raw: true}, true,
			"mend the prompt, not the grader: say \"end with `Answer: X`\" in --system, " +
				"or ask a chat model with --prompt chat, or raise --max-tokens, which ended some before the line"},
		"a style without reasoning": {"agi-evals", grade.Asked{Style: "agi-evals-direct@1", System: true}, true,
			"mend the prompt, not the grader: raise --max-tokens, which ended some before the line"},
		"all done": {"agi-evals", grade.Asked{Style: "agi-evals@1", System: true}, false,
			"mend the prompt, not the grader: it asks for the line already, and `proctor show RUN ID` has what the model ends with"},
	} {
		set, err := grade.Lookup(c.rules)
		if err != nil {
			t.Fatal(err)
		}
		if got := set.Remedy(c.asked, c.capped); got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}
