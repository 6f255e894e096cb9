package betting

import (
	"math"
	"math/rand/v2"

	"proctor/runner/mark/stats"
)

// Questions is how many of a set's questions a [Test] takes on average, of two models that are equally good and answer a share of
// them differently, the discordance: the mean over simulated runs. Undefined where no set has that share.
func Questions(questions int, discordance, margin, alpha float64, runs int) stats.Number {
	if questions < 1 || runs < 1 || !(discordance >= 0) || discordance > 1 {
		return stats.Undefined
	}
	source := rand.New(rand.NewPCG(1, 1))
	differences, subjects := make([]int, questions), make([]int, questions)
	each := int(math.Round(float64(questions) * discordance / 2))
	for i := range min(questions, 2*each) {
		differences[i] = 1
		if i >= each {
			differences[i] = -1
		}
	}
	asked := 0
	for range runs {
		source.Shuffle(questions, func(i, j int) { differences[i], differences[j] = differences[j], differences[i] })
		test := New([]int{questions}, subjects, margin, alpha)
		for _, d := range differences {
			asked++
			if test.Add(d) != "" {
				break
			}
		}
	}
	return stats.Ratio(asked, runs)
}
