// Package stopping ends runs early: it cuts them into blocks, and decides after each block whether the result is clear.
//
// A block is the items that are asked between two interim analyses, as indices into the run's items, in order. A run ends once its
// comparison with another run, a [Reference], is decided.
package stopping

// The first interim analysis is after firstQuestions, the next whenever an eighth more is answered. Any number of analyses is valid,
// but at each the slots run empty, and prompts share fewer prefixes.
const (
	firstQuestions = 100
	growth         = 8
)

// ends are the numbers of questions after which interim analyses are made; the last is the number of all questions.
func ends(questions int) []int {
	var all []int
	for end := min(firstQuestions, questions); ; end = min(end+end/growth, questions) {
		if all = append(all, end); end == questions {
			return all
		}
	}
}

// All is one block of n items in their order.
func All(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
