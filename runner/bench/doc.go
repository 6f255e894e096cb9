// Package bench writes measured speeds down as others who measure local models do, so that rows can be laid side by
// side: llama-bench's tests ([Test]), llama-batched-bench's rows ([Batched]), and proctor's own exam ([Exam]), whose
// figures have the names that a run's report gives them.
//
// It is pure: samples go in, rows come out, one at a time as they are measured ([Printer]), as a markdown table, JSON,
// JSON Lines or CSV. Keys and columns are llama-bench's. Neighbours: backends/llamacpp measures, cmd/proctor reads the
// flags.
package bench
