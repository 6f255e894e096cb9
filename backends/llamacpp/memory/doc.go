// Package memory plans what a model and a context take of the machine's memory and of its GPUs', and with that how many slots there
// are, of which context, and which layers go to which GPU.
//
//	file's header ─ Place: layers on GPUs ─ (the model is loaded) ─ Settings: context, slots ─ Allocate: bytes
//
// It is plain Go and asks nobody: what the file's header, the loaded model ([engine.Cache]) and the system say is given to it.
// llama.cpp reports what it takes only when it takes it, so its sums are done again here; package llamacpp's tests hold them against
// the sizes that it logs, on the CPU and on GPUs. Beside the plan, proctor and the engine's process take some 100 MiB by themselves,
// which are taken already when it is measured how much memory is free, and a model's file stays in the system's cache as long as there is
// room.
package memory
