// Package sweep compares configurations on the same questions: quantisations of one model, which it makes, existing models, and
// engine settings. Each is compared with the first, and cheap stages come first.
//
//	Axes ─ Candidates ─▶ Begin ─▶ all: make, measure ─▶ the first: ask ─▶ all: score ─▶ the others: ask ─▶ Choose ─▶ choice.Choice
//
// With wishes, a candidate that fails one is dropped, and the smallest of the others runs first.
//
// Each candidate has an ordinary run's folder below the sweep's. The sweep's document, sweep.json, has its specification and each
// candidate's progress. A sweep that was killed repeats nothing that is complete: a quantised model, a completion in a journal, a
// score. A candidate that fails does not keep the others from running.
//
// Quantised models are kept in a cache, by the checksum of what they were
// made from: see [Cache].
//
// Neighbours: runner/ask asks, runner/ask/score reads, runner/mark/pairs judges, runner/mark/choice chooses; the caller passes functions
// that open and quantise models.
package sweep
