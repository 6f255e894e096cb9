package dataset_test

import (
	"fmt"
	"log"

	"proctor/prompts/dataset"
)

// The bundled sample is always there; a selection of it is the same for the same seed.
func ExampleOpen() {
	set, err := dataset.Open("sample", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	questions, err := set.Select(dataset.Selection{Subjects: []string{"math"}, Limit: 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(set.Subjects()), "subjects,", len(questions), "questions of", questions[0].Subject)
	// Output: 14 subjects, 2 questions of math
}
