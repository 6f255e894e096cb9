// Package bench measures models, and writes the speeds down as others who measure local models do, so that rows can be
// laid side by side: llama-bench's tests ([Test]), and questions whose prompts begin alike ([Eval]), whose figures have the names
// that a run's report gives them.
//
// A [Bench] opens models, one at a time, and prints a row as soon as it is there ([Printer]): as a markdown table or as JSON, under
// llama-bench's keys. Tests go through [backends.Engine]. A [Load] is answered by any [backends.Model], in several ways if need be,
// which are compared in rounds ([Comparison]).
//
// Neighbours: cmd/proctor reads the flags; backends/llamacpp implements backends.Engine.
package bench
