// Package ask asks, keeps and resumes: it joins what we ask (prompts) with who answers (backends).
//
//	Set ─ NewPlan ─→ Plan ─ Measure ─→ Workload ─ (Planner.Plan) ─→ Header ─ Run ─→ journal
//
// A [Plan] holds one task's items, ordered so that shared prefixes meet; [Plan.Measure] counts their tokens, and what of
// them cannot be shared. [Plan.Run] sends them to a model and appends each completion to the journal as it comes; nothing
// is marked here. A [Session] does that for all tasks of a run, on one model that is sized to the largest of them, and
// writes each one's reports beside its journal. A [Form] says what conversation a prompt becomes for a model that chats.
//
// What the journal holds is marked by package grade, counted by package metrics and told by package report, which know
// nothing of this one. A plan that is to stop by itself has metrics read its journal between batches, so that it stops by
// the interval that the reader will see; one that stops completions at their answer has grade say when nothing can change
// that.
//
// The package has somewhat over 2,000 lines: what a run is told, asks, waits for and keeps changes one [Plan], step by step, and
// a part by itself would have to be handed all of it.
package ask
