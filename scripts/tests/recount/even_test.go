package recount

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
)

// Few questions of each of many subjects that are unlike one another, one more of some.
func TestASecondPlainComputationOfEvenDrawsFromManySubjects(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 17))
	for i := range 6 {
		h := journaltest.Header("mmlu_pro")
		h.RuleSet = "tiger-strict"
		var records []journal.Record
		for s := range 15 {
			subject, skill, count := fmt.Sprintf("subject %02d", s), random.Float64(), 2+i/2
			if s%3 == 0 {
				count += 1 + i/5
			}
			for range count {
				options := 3 + random.IntN(8)
				gold := journaltest.Letter(random.IntN(options))
				answer := journaltest.Answer{Letter: gold}
				if random.Float64() > skill {
					answer.Letter = journaltest.Letter(random.IntN(options))
				}
				records = append(records, journaltest.Record(&h, len(records), subject, "", options, gold, answer))
			}
		}
		h.Selection.Items = len(records)
		checkPlainly(t, fmt.Sprintf("15 subjects, journal %d", i), writeJournal(t, h, records))
	}
}
