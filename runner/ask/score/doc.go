// Package score has other models read the completions of a run, to measure how far each differs from the model that
// wrote them.
//
//	journal, logprobs.bin ─ Open ─▶ Transcripts ─ Force(model) ─▶ divergence.Model
//
// A completion is read with its prompt at prefill speed; nothing is generated.
//
// Neighbours: runner/journal, runner/journal/logprobs and runner/mark/results have the completions; a backends.Scorer
// reads them; runner/mark/divergence has the figures.
package score
