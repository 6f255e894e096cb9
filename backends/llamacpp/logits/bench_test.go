package logits

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The vocabularies of Gemma 3 and of SmolLM2.
var vocabularies = []int{262_144, 49_152}

// scoresLike are as a model has them: few tokens are likely.
func scoresLike(n int) []float32 {
	random := rand.New(rand.NewPCG(5, 6))
	all := make([]float32, n)
	for i := range all {
		all[i] = float32(random.NormFloat64() * 3)
	}
	return all
}

func BenchmarkArgmax(b *testing.B) {
	for _, n := range vocabularies {
		scores := scoresLike(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				Argmax(scores)
			}
		})
	}
}

func BenchmarkPredict(b *testing.B) {
	for _, n := range vocabularies {
		places := []Place{{Scores: scoresLike(n), Token: 7}}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				Predict(places, 20)
			}
		})
	}
}
