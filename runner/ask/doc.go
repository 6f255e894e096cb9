// Package ask asks, keeps and resumes: it joins what we ask (prompts) with who answers (backends).
//
//	Evals ─ New ─→ Session ─ Run ─→ journals
//
// [New] makes a [Plan] for each task, opens the model, gives the prompts the [form.Form] that it converses in, and has it size itself to the
// largest plan. [Session.Run] sends the items to the model and appends each completion to its task's journal as it comes; nothing is
// marked here. An [Observer] is told how that goes.
//
// A Plan holds one task's items, ordered so that shared prefixes meet; package prefixes counts their tokens, and what of them cannot be
// shared. A run that is to stop by itself has package stopping analyse its journal between two blocks of items, so that it stops by the
// e-values that the reader will see.
package ask
