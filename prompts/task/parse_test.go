package task_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts/task"
	"proctor/scripts/tests/errortest"
)

func TestParse(t *testing.T) {
	subjects := []string{"biology", "computer science", "law", "law of the sea", "math", "philosophy", "physics"}
	for name, test := range map[string]struct{ list, want string }{
		"a task":         {"mmlu_pro", "mmlu_pro|"},
		"hyphens":        {"mmlu-pro", "mmlu_pro|"},
		"with a subject": {"mmlu_pro_biology", "mmlu_pro_biology|biology"},
		"a longer task with a subject": {"mmlu_pro_binary_biology,mmlu_pro_binary_math",
			"mmlu_pro_binary_biology|biology mmlu_pro_binary_math|math"},
		"a subject of two words": {"mmlu-pro-circular-computer-science", "mmlu_pro_circular_computer_science|computer science"},
		"short names":            {"mcq,binary,circular", "mmlu_pro| mmlu_pro_binary| mmlu_pro_circular|"},
		"the beginning of a subject": {"binary_bio,circular-comp,mmlu_pro_m",
			"mmlu_pro_binary_biology|biology mmlu_pro_circular_computer_science|computer science mmlu_pro_math|math"},
		"a subject that another begins with": {"mcq_law", "mmlu_pro_law|law"},

		"without reasoning": {"mmlu_pro_direct,binary-direct-bio,mcq_direct_math",
			"mmlu_pro_direct| mmlu_pro_binary_direct_biology|biology mmlu_pro_direct_math|math"},

		"capitals and spaces": {" MMLU_Pro , mmlu_pro_Computer Science", "mmlu_pro| mmlu_pro_computer_science|computer science"},
	} {
		tasks, err := task.Parse(test.list, subjects)
		assert.NilError(t, err, name)
		var got []string
		for _, each := range tasks {
			got = append(got, each.String()+"|"+each.Subject)
		}
		assert.Equal(t, strings.Join(got, " "), test.want, name)
	}
	for list, want := range map[string]string{
		"mmlu": `unknown task "mmlu"; there are mmlu_pro, mmlu_pro_binary, mmlu_pro_circular, ` +
			`mmlu_pro_direct, mmlu_pro_binary_direct, mmlu_pro_circular_direct, each also for one subject, as in mmlu_pro_biology ` +
			`(subjects: biology, computer science, law, law of the sea, math, philosophy, physics)`,
		"binary_p":                          `task "binary_p": ambiguous subject "p": it could be philosophy or physics`,
		"mmlu_pro_":                         `unknown task "mmlu_pro_"`,
		"bin":                               `unknown task "bin"`,
		"binary_alchemy":                    `unknown task "binary_alchemy"`,
		"mcq,mmlu_pro":                      "named twice",
		"mmlu_pro_alchemy":                  `unknown task "mmlu_pro_alchemy"`,
		"":                                  `unknown task ""`,
		"mmlu_pro,":                         `unknown task ""`,
		"mmlu_pro_biology,mmlu-pro-biology": "named twice",
	} {
		_, err := task.Parse(list, subjects)
		errortest.For(t, list, err, want)
	}
}

func TestSubject(t *testing.T) {
	subjects := []string{"Law", "computer science", "computer_science", "law", "law of the sea", "math"}
	for name, want := range map[string]string{
		"law": "law", " Law ": "Law", "computer_science": "computer_science", "computer science": "computer science",
		"MATH": "math", "ma": "math", "law_of": "law of the sea",
	} {
		got, err := task.Subject(name, subjects)
		assert.Check(t, err == nil && got == want, "%q: %q, %v; want %q", name, got, err, want)
	}
	for name, want := range map[string]string{
		"LAW":              `ambiguous subject "LAW": it could be Law or law`,
		"Computer-Science": `ambiguous subject "Computer-Science": it could be computer science or computer_science`,
		"l":                `ambiguous subject "l": it could be Law, law, or law of the sea`,
		"chemistry":        `unknown subject "chemistry"`,
		"":                 `unknown subject ""`,
	} {
		_, err := task.Subject(name, subjects)
		assert.Error(t, err, want)
	}
	tasks, err := task.Parse("mcq_Law,binary_law", subjects)
	assert.Check(t, err == nil && tasks[0].Subject == "Law" && tasks[1].Subject == "law", "tasks %v, %v", tasks, err)
	for list, want := range map[string]string{
		"mcq_LAW":         `task "mcq_LAW": ambiguous subject "LAW": it could be Law or law`,
		"mcq_Law,mcq-law": `the tasks for subjects "Law" and "law" are both called mmlu_pro_law: run them one by one`,
	} {
		_, err := task.Parse(list, subjects)
		assert.Error(t, err, want)
	}
}
