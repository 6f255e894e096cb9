package betting

import (
	"math"
	"math/rand/v2"

	"proctor/runner/mark/stats"
)

// Questions is how many of a set's questions a [Test] takes on average, where the models answer discordance of
// them (a share) differently and one is better by difference (a share, at most discordance): the mean of so many made-up runs.
// decided is the share of them that ended with a verdict before the last question. Undefined where no set is so.
func Questions(questions int, difference, discordance, margin, alpha float64, runs int) (mean, decided stats.Number) {
	if questions < 1 || runs < 1 || !(discordance >= math.Abs(difference)) || discordance > 1 {
		return stats.Undefined, stats.Undefined
	}
	source := rand.New(rand.NewPCG(1, 1))
	differences, subjects := make([]int, questions), make([]int, questions)
	up := int(math.Round(float64(questions) * (discordance + difference) / 2))
	down := int(math.Round(float64(questions) * (discordance - difference) / 2))
	for i := range min(questions, up+down) {
		differences[i] = 1
		if i >= up {
			differences[i] = -1
		}
	}
	asked, early := 0, 0
	for range runs {
		source.Shuffle(questions, func(i, j int) { differences[i], differences[j] = differences[j], differences[i] })
		test := New([]int{questions}, subjects, margin, alpha)
		for i, d := range differences {
			asked++
			if test.Add(d) != "" {
				if i < questions-1 {
					early++
				}
				break
			}
		}
	}
	return stats.Ratio(asked, runs), stats.Ratio(early, runs)
}
