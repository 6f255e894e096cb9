// Package bench measures models' speeds, in the formats of other tools for local models, so that rows can be compared: llama-bench's
// tests ([Test]), and questions whose prompts begin alike ([Eval]), with the names of a run's report.
//
// A [Bench] opens models, one at a time, and prints each row as soon as it is measured ([Printer]): as a markdown table or as JSON, under
// llama-bench's keys. Tests need a [backends.Engine]. A [Load] is answered by any [backends.Model], if wanted in several ways
// that are compared in rounds ([Comparison]).
//
// Neighbours: cmd/proctor reads the flags; backends/llamacpp implements backends.Engine.
package bench
