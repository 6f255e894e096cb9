package grade_test

import (
	"fmt"
	"log"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
)

// A rule set finds the letter in a completion and marks it.
func ExampleRuleSet_Mark() {
	set, err := grade.Lookup("tiger")
	if err != nil {
		log.Fatal(err)
	}
	header := journal.Header{Task: "mmlu_pro"}
	for _, text := range []string{"So the answer is (B).", "Answer: D", "hard to say"} {
		record := journal.Record{Text: text, Options: 10, Gold: "B", Finish: backends.FinishStop}
		mark := set.Mark(&header, &record)
		fmt.Printf("%q %t %q\n", mark.Letter, mark.Correct, mark.Tag)
	}
	// Output:
	// "B" true ""
	// "D" false "WRONG_ANSWER"
	// "" false "NO_ANSWER"
}

// People write rules of their own in a file.
func ExampleParse() {
	set, err := grade.Parse("mine.rules", "name: mine\nfirst final choice is ([A-J])\n")
	fmt.Println(set.Name, err)
	// Output: mine <nil>
}
