package prompts_test

import (
	"fmt"
	"log"

	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
)

// A style is a text file: its sections are templates of the parts of a prompt.
func ExampleParseStyle() {
	style, err := prompts.ParseStyle("mine.style", `style: mine@1
-- instruction --
About {{.Subject}}.

-- question --
{{.Question}}
{{range .Options}}{{.Letter}}) {{.Text}}
{{end}}
-- lead-in --
Answer:
`)
	if err != nil {
		log.Fatal(err)
	}
	mcq, _ := task.Lookup("mmlu_pro")
	question := dataset.Question{ID: 1, Text: "2 + 3?", Options: []string{"4", "5"}, Answer: "B", Subject: "math"}
	set := &dataset.Set{Test: []dataset.Question{question}}
	items, err := prompts.Eval{Task: mcq, Style: style}.Items(set, set.Test)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n%s", items[0].ID, items[0].Prompt())
	// Output:
	// mmlu_pro/1
	// About math.
	// 2 + 3?
	// A) 4
	// B) 5
	// Answer:
}
