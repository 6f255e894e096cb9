// Package runner asks, keeps and resumes: it joins what we ask (prompts) with who answers (backends).
//
//	Set ─ NewPlan ─→ Plan ─ Measure ─→ Workload ─ (Planner.Plan) ─→ Header ─ Run ─→ journal
//
// A [Plan] holds one task's items, ordered so that shared prefixes meet; [Plan.Measure] counts their tokens, and what of
// them cannot be shared. [Plan.Run] sends them to a model and appends each completion to the journal as it comes; nothing
// is judged here. What the journal holds is marked by package grade and told by package report, which know nothing of
// this one. A plan that is to stop by itself has report read its journal between batches, so that it stops by the interval
// that the reader will see; one that ends completions at their answer has grade say when nothing can change that.
package runner
