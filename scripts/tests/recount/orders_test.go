package recount

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
)

// ordersOf are all orders of so many options.
func ordersOf(options int) (all []string) {
	if options == 1 {
		return []string{"A"}
	}
	for _, shorter := range ordersOf(options - 1) {
		for at := 0; at <= len(shorter); at++ {
			all = append(all, shorter[:at]+journaltest.Letter(options-1)+shorter[at:])
		}
	}
	return all
}

// All orders of two and three options.
func TestASecondPlainComputationOfAllOrders(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 16))
	for i := range 8 {
		h := journaltest.Header("mmlu_pro_circular")
		h.Pattern, h.RuleSet = "all_possible", "tiger-strict"
		skill := random.Float64()
		var records []journal.Record
		for q := range 30 {
			options := 2 + random.IntN(2)
			gold, orders := random.IntN(options), ordersOf(options)
			random.Shuffle(len(orders), func(a, b int) { orders[a], orders[b] = orders[b], orders[a] })
			knows := random.Float64() < skill
			for _, variant := range orders {
				letter := variant[gold : gold+1]
				answer := journaltest.Answer{Letter: letter}
				switch x := random.Float64(); {
				case x < 0.02:
					answer = journaltest.Answer{Failed: "TIMEOUT"}
				case !knows || x < 0.1:
					answer.Letter = journaltest.Letter(random.IntN(options))
				}
				subject := []string{"law", "math"}[q%2]
				records = append(records, journaltest.Record(&h, q, subject, variant, options, letter, answer))
			}
		}
		h.Selection.Items = len(records)
		records = slices.DeleteFunc(records, func(journal.Record) bool { return random.IntN(90) == 0 }) // not asked yet
		checkPlainly(t, fmt.Sprintf("all orders, journal %d", i), writeJournal(t, h, records))
	}
}
