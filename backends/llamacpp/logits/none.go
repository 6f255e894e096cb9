//go:build !cgo

package logits

import "proctor/backends"

// Argmax is the place of the largest score, the first one of equals; [None] where a score is not a number or none is finite.
func Argmax(scores []float32) int32 { return argmax(scores) }

// Predict returns what the scores of each place say, with its top likeliest tokens, best first, of equals the first.
func Predict(places []Place, top int) []backends.Prediction { return predictAll(places, top) }
