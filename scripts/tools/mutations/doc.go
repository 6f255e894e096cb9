// Command mutations damages GGUF models in every way that a header, a vocabulary and weights can be damaged in, and opens each
// of them in a process of its own, whose time and memory are watched: does a model file kill the process?
//
//	go run ./scripts/tools/mutations -n 2000 -seed 1
//	go run ./scripts/tools/mutations -seed 1 -only 1234 -keep DIR     one of them again, its file kept
//
// The models are the control model and small random ones of all architectures that package llamatest writes. The same seed gives
// the same files. It says how many were refused in one line, ran, ended by the engine's abort handler, crashed, hung, or took more
// memory than twice their file before they were refused, and exits 1 where one of the last three did.
package main
