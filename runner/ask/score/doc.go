// Package score forces the completions of a run through other models and says how much each of them differs from the model that
// wrote them.
//
//	journal, logprobs.bin ─ Open ─▶ Transcripts ─ Force(model) ─▶ Model: figures of all items, of subjects, of each item
//
// A completion is read with its prompt at prefill speed; nothing is generated. Where the run kept its log-probabilities, or a
// reference model reads beside the other one, that gives the Kullback–Leibler divergence of each token, else only how likely the
// texts are. Kept log-probabilities are those of the likeliest tokens, and what all others have together counts as one token: the
// divergence of these is never more than that of the whole vocabulary (data-processing inequality: Cover and Thomas 2006, §2.8),
// so it is told as a lower bound. Names are those of llama-perplexity --kl-divergence.
//
// Tokens of one completion hang together, and so do the completions of one question: intervals have questions as their units.
// Subjects are strata: questions differ by chance within a subject, so how far subjects lie apart is no part of an interval.
//
// A divergence says how much was changed, not whether a model became worse: package compare tells that from the answers.
//
// Neighbours: runner/journal, runner/journal/logprobs and runner/mark/results hold what was written; a backends.Scorer reads it.
package score
