// Package sweep tries out several ways to answer the same questions: quantisations of one model that it makes, models that are there,
// and settings of the engine. All are held against the first of them, and what costs least comes first.
//
//	Axes ─ Candidates ─▶ Begin ─▶ all: make, measure ─▶ the first: ask ─▶ all: score ─▶ the others: ask ─▶ Choose ─▶ choice.Choice
//
// With wishes, a candidate that fails one gets no further, and the smallest of the others is asked first.
//
// Each candidate has an ordinary run's folder below the sweep's, which has a document too, sweep.json: what is swept, and how far each
// candidate has come. What is there is not done again, wherever a sweep was killed: a model that is made, a completion in a journal, a
// score. A candidate that fails does not keep the others from being asked.
//
// The question set and the prompts' tokens are made once.
// Models that are made lie in a cache, by checksum of what they were made of: see [Cache].
//
// Neighbours: runner/ask asks, runner/ask/score reads, runner/mark/pairs judges, runner/mark/choice chooses; who opens and quantises models
// comes as functions.
package sweep
