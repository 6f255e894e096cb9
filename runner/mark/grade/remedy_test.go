package grade_test

import (
	"testing"

	"proctor/runner/mark/grade"
)

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
		if err != nil {
			t.Fatal(err)
		}
		if got := set.Remedy(c.asked); got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}
