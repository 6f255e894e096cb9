// Package backends says who answers: the [Model] interface and the words that travel through it.
//
// It holds types and [CommonPrefix], no cgo and no HTTP, so that everything above (the runner) and everything below the
// journal (grade, stats, report) can share the words without linking an engine. Implementations live in folders
// of their own: llamacpp (in-process), embedded (the control model on llamacpp), ollama (over HTTP) and scripted (a
// deterministic fake). Package backendtest is the contract that each of them passes; gguf, stream and machine serve several of
// them.
//
// A backend grows by small optional interfaces ([Tokenizer], [Planner], [Templated], [Converser], [Scorer], [Scorable], [Budgeter]),
// found by assertion, never by a fatter Model.
package backends
