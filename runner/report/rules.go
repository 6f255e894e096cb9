package report

import (
	"strings"

	"proctor/prompts/task"
	"proctor/runner/mark/grade"
	"proctor/runner/report/page"
)

// ExplainedRules describes a rule set for people and programs.
type ExplainedRules struct {
	Name string `json:"name"`
	grade.About
	Rules   []string `json:"rules"` // in the order in which they are tried
	Tasks   []string `json:"tasks"` // the tasks whose items it marks
	Guesses bool     `json:"harness_guesses"`
	// Answered says that the harness scores only items with an answer.
	Answered bool `json:"harness_scores_answered"`
}

// ExplainRules explains rule sets.
func ExplainRules(sets []grade.RuleSet) []ExplainedRules {
	var all []ExplainedRules
	for _, set := range sets {
		e := ExplainedRules{Name: set.Name, About: set.About, Guesses: set.Guesses(), Answered: set.ScoresAnswered()}
		for _, rule := range set.Rules {
			e.Rules = append(e.Rules, rule.Name)
		}
		for _, t := range task.All {
			if set.Applies(t.Name) {
				e.Tasks = append(e.Tasks, t.Name)
			}
		}
		all = append(all, e)
	}
	return all
}

// RuleFormats are the formats of explanations, the default first.
var RuleFormats = page.FormatsOf(rulesPage)

func rulesPage(all []ExplainedRules) page.Page {
	p := page.Page{Title: "Rule sets: what counts as the answer in a completion"}
	for _, e := range all {
		s := page.Section{Title: e.Name}
		s.Facts.Add("takes", e.Takes, "")
		if e.Agrees != "" { // a user's own rule set says nothing
			s.Facts.Add("agrees with", e.Agrees, "")
			s.Facts.Add("use it", e.Use, "")
		}
		s.Facts.Add("rules, in turn", strings.Join(e.Rules, ", "), "")
		s.Facts.Add("marks", strings.Join(e.Tasks, ", "), "")
		if e.Guesses {
			s.Facts.Add("guessing", "its harness takes an option at random where it finds none; reports give what that comes to on "+
				"average as leaderboard_equivalent", "")
		}
		if e.Answered {
			s.Facts.Add("its score", "its harness scores the items with an answer alone; reports give that as accuracy_answered", "")
		}
		p.Add(s)
	}
	return p
}
