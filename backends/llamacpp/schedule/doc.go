// Package schedule decides what an engine decodes when, so that many sequences are answered at a time and no beginning of a
// prompt is computed twice. It is plain Go: it needs an [Engine] and a [Vocabulary], which the tests fake.
//
//	requests ─ tokens ─ slot: trim, copy or decode the prompt ─┐
//	                    slot: next token, next token, …       ─┼─ one batch ─ draw ─ text ─ done
//	                    slot: …                               ─┘
//
// A slot is one sequence of the cache. The tokens of a slot's last prompt stay in it, so what the next prompt has
// in common with it is not decoded again: it is kept, or copied from the slot that shares most of it. A request
// whose beginning is just being decoded in another slot waits for it instead of doing the same work. Requests that
// come in an order in which prefixes meet are thus decoded like a tree of prefixes, each branch once, and no
// sequence is set aside for it. A model whose memory cannot be cut back resumes from checkpoints, where prompts part.
//
// Files: generation (admit, accept, finish), slot, step (a batch), prefix (what is reused), share (what slots compute together),
// checkpoint (states), predict (log-probabilities and forced completions), spoilt (what is overwritten after an overflow).
// Neighbours: package engine has the types that the engine takes and returns, package llama is the engine, package llamacpp chooses how
// many slots there are.
package schedule
