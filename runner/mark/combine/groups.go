package combine

import (
	"fmt"
	"slices"
	"strings"

	"proctor/prompts/task"
)

// All is the name of the group of all the run's subjects.
const All = "all"

// A Group is some subjects with a name.
type Group struct {
	Name     string   `json:"group"`
	Subjects []string `json:"subjects"`
}

// Usual are the groups of MMLU-Pro's 14 subjects, as the categories of MMLU have them (Hendrycks et al. 2021, categories.py).
var Usual = []Group{
	{"STEM", []string{"biology", "chemistry", "computer science", "engineering", "math", "physics"}},
	{"humanities", []string{"history", "law", "philosophy"}},
	{"social sciences", []string{"economics", "psychology"}},
	{"other", []string{"business", "health", "other"}},
}

// ParseGroup reads a group as people type it: NAME=subject,subject. [Resolve] finds its subjects.
func ParseGroup(text string) (Group, error) {
	name, list, ok := strings.Cut(text, "=")
	g := Group{Name: strings.TrimSpace(name)}
	for subject := range strings.SplitSeq(list, ",") {
		if subject = strings.TrimSpace(subject); subject != "" {
			g.Subjects = append(g.Subjects, subject)
		}
	}
	switch {
	case !ok || g.Name == "" || len(g.Subjects) == 0:
		return Group{}, fmt.Errorf("%q: give NAME=subject,subject, as in exact=math,physics", text)
	case g.Name == All:
		return Group{}, fmt.Errorf("%q: %s is the group of every subject; give another name", text, All)
	}
	return g, nil
}

// Resolve finds the given groups' subjects among the runs' subjects, by task.Subject. A subject that the runs do not have is an error
// that lists theirs.
func Resolve(given []Group, subjects []string) ([]Group, error) {
	var all []Group
	for _, g := range given {
		if slices.ContainsFunc(all, func(before Group) bool { return before.Name == g.Name }) {
			return nil, fmt.Errorf("%s is given twice", g.Name)
		}
		found := Group{Name: g.Name}
		for _, typed := range g.Subjects {
			subject, err := task.Subject(typed, subjects)
			if err != nil {
				return nil, fmt.Errorf("%s: %w; the runs have %s", g.Name, err, strings.Join(subjects, ", "))
			}
			if slices.Contains(found.Subjects, subject) {
				return nil, fmt.Errorf("%s: %s is named twice", g.Name, subject)
			}
			found.Subjects = append(found.Subjects, subject)
		}
		all = append(all, found)
	}
	return all, nil
}

// Shown are the groups to show for a task with these subjects: the usual ones, replaced by given ones of the same name, then the other
// given ones. A set with other subjects than MMLU-Pro's shows only the given ones. Left out are groups without any of the subjects,
// and a usual group that has all of them.
func Shown(given []Group, subjects []string) []Group {
	var all []Group
	for _, u := range Usual {
		replaced := slices.ContainsFunc(given, func(g Group) bool { return g.Name == u.Name })
		if !replaced && among(subjects, Usual...) && !among(subjects, u) {
			all = append(all, u)
		}
	}
	return slices.DeleteFunc(append(all, given...), func(g Group) bool {
		return !slices.ContainsFunc(g.Subjects, func(subject string) bool { return slices.Contains(subjects, subject) })
	})
}

// among says whether each of the subjects is in one of the groups.
func among(subjects []string, groups ...Group) bool {
	return !slices.ContainsFunc(subjects, func(subject string) bool {
		return !slices.ContainsFunc(groups, func(g Group) bool { return slices.Contains(g.Subjects, subject) })
	})
}
