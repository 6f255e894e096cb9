package betting

import (
	"math/rand/v2"

	"proctor/runner/mark/stats"
)

// Questions is how many of the questions there are a [Test] takes on average, of two models that are equally good and answer a share of
// them differently, the discordance: the mean over simulated runs. Undefined where no set has that share.
func Questions(questions int, discordance, margin, alpha float64, runs int) stats.Number {
	if questions < 1 || runs < 1 || !(discordance >= 0) || discordance > 1 {
		return stats.Undefined
	}
	source, order, asked := rand.New(rand.NewPCG(1, 1)), make([]int, questions), 0
	for range runs {
		test := New(order, margin, alpha)
		for range questions {
			asked++
			if test.Add(drawn(source, discordance)) != stats.Undecided {
				break
			}
		}
	}
	return stats.Ratio(asked, runs)
}

// drawn is the difference of a question.
func drawn(source *rand.Rand, discordance float64) int {
	switch u := source.Float64(); {
	case u < discordance/2:
		return 1
	case u < discordance:
		return -1
	}
	return 0
}
