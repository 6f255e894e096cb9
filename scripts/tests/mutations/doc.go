// Package mutations tests that no model file kills or stalls proctor. It damages GGUF models in every part of the file: header,
// keys, vocabulary, tensors. It opens each damaged file as a run does, in a process of its own.
//
//	FILES=5000 SEED=2 JOBS=8 go test -count 1 -timeout 0 -v ./scripts/tests/mutations     as `make fuzz` does
//	SEED=2 ONLY=1234 KEEP=DIR go test -count 1 -v ./scripts/tests/mutations               one of them again; its file is kept
//
// The models are the control model and small random ones of all architectures that package llamatest writes. The same seed gives
// the same files. A file may be refused in one line, run, or be the death of the engine's process, which is a line, too. It may not hang.
package mutations
