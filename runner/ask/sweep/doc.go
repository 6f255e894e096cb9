// Package sweep compares configurations on the same questions: quantisations of one model, which it makes, existing models, and
// engine settings. Each is compared with the first, and cheap stages come first.
//
//	Axes ─ Candidates, Lay ─▶ all: measure ─▶ the first: ask ─▶ all: score ─▶ the others: ask ─▶ Choose ─▶ choice.Choice
//
// With wishes, a candidate that fails one is dropped, and the smallest of the others runs first.
//
// The candidates are the cells of an [ask.Matrix], and what is known of them is in its folder: answers in their
// journals, divergences in score.json, speeds in speed.json. So a sweep that was killed repeats nothing that is
// complete, but for speeds while something is left to ask. A candidate that fails does not keep the others from
// running.
//
// Quantised models are kept in a cache, by the checksum of what they were made from: see [Cache].
//
// Neighbours: runner/ask asks, runner/ask/score reads, runner/mark/pairs judges, runner/mark/choice chooses; the caller passes functions
// that open and quantise models, and report runs.
package sweep
