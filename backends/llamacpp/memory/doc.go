// Package memory plans how much of the machine's memory and of its GPUs' a model and a context take. From that follow the number of slots,
// their context, and which layers go to which GPU.
//
//	file's header ─ Place: layers on GPUs ─ (the model is loaded) ─ Settings: context, slots ─ Allocate: bytes
//
// It is plain Go without I/O: its callers pass in the file's header, the loaded model's [engine.Cache] and the system's memory.
// llama.cpp reports its memory only while it allocates, so its sums are done again here; package llamacpp's tests compare them with
// the sizes that it logs, on the CPU and on GPUs. Beside the plan, proctor and the engine's process take some 100 MiB,
// and the pages of the model's file that the system keeps as long as there is room. They are in use already when the
// free memory is measured; the line for people has them.
package memory
