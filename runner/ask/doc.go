// Package ask runs tasks: it sends prompts to a model, keeps the answers in journals, and resumes. It joins packages prompts and
// backends.
//
//	spec.Spec → Evals, Matrix → Cell ─ New ─→ Session ─ Run ─→ journals, an Outcome a task
//
// What one call asks is a [Matrix]: a [Cell] for each model and set. Package sweep makes its candidates the cells of
// one.
//
// [New] selects the [Questions] of each task, finds with [journal.Continue] which are answered, opens the model, writes their [Prompts]
// in its [form.Form], counts them into a [Plan], and sizes the model to the largest. It refuses a run that can't be resumed before
// anything is changed. [Session.Run] commits the resumed journals, sends the items to the model and appends each completion to its
// task's journal as it arrives; nothing is marked here. An [Observer] follows the progress.
//
// A Plan holds one task's items, ordered so that shared prefixes are adjacent; package prefixes counts their tokens, and those that
// can't be shared. For a run that may stop early, package stopping analyses the journal between two blocks of items, so that it stops
// by the e-values that the reader will see.
package ask
