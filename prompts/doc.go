// Package prompts says what we ask: it turns questions into the exact text of prompts.
//
//	set.Select ─→ []dataset.Question ─ Task (which items a question becomes) ─ Style (how they read) ─→ []Item
//
// A task of the table in package prompts/task says which variants a question is expanded into: itself, one true-or-false
// item an option, one item an order of the options. A [Style] is a named, versioned
// layout, read from a file whose templates are text/template's; three of those built in reproduce other harnesses byte
// for byte. An [Eval] is a choice of both, and [Eval.Items] renders.
//
// An item's prompt is its Preamble, which all items of a subject share, followed by its Text. Items come ordered by
// subject and question, so that prompts with a common beginning are neighbours.
//
// Questions come from package prompts/dataset; chat turns are made from an item's Turns by package prompts/chat.
// Nothing here knows of models, tokens or runs.
package prompts
