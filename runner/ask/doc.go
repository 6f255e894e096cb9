// Package ask asks, keeps and goes on: it joins what we ask (prompts) with who answers (backends).
//
//	spec.Spec → Evals ─ New ─→ Session ─ Run ─→ journals, an Outcome a task
//
// [New] selects the [Questions] of each task, looks with [journal.Continue] at what of them is answered, opens the model, writes their
// [Prompts] in the [form.Form] that it converses in, counts them into a [Plan], and has the model size itself to the largest. It refuses
// what can't go on before anything is changed. [Session.Run] commits all journals that go on, sends the items to the model and appends
// each completion to its task's journal as it comes; nothing is marked here. An [Observer] is told how that goes.
//
// A Plan holds one task's items, ordered so that shared prefixes meet; package prefixes counts their tokens, and what of them cannot be
// shared. A run that is to stop by itself has package stopping analyse its journal between two blocks of items, so that it stops by the
// e-values that the reader will see.
package ask
