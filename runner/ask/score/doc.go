// Package score has other models read the completions of a run, and measures how far each differs from the model that wrote them.
//
//	journal, logprobs.bin ─ Open ─▶ Transcripts ─ Force(model) ─▶ Model: figures of all items, of subjects, of each item
//
// A completion is read with its prompt at prefill speed; nothing is generated. Where the run kept its
// log-probabilities, that gives the Kullback–Leibler divergence of each token, else only how likely the texts are. Only
// the likeliest tokens' log-probabilities are kept, and all others count as one token: this divergence is never more
// than that over the whole vocabulary (data-processing inequality: Cover and Thomas 2006, §2.8), so it is reported as a
// lower bound. Names are those of llama-perplexity --kl-divergence.
//
// Tokens of one completion depend on each other, and so do a question's completions: intervals have questions as their units.
// Subjects are strata: only the variation within subjects enters an interval.
//
// A divergence says how much a model changed, not whether it became worse: comparing the answers (package pairs) shows that.
//
// Neighbours: runner/journal, runner/journal/logprobs and runner/mark/results have the completions; a backends.Scorer reads it.
package score
