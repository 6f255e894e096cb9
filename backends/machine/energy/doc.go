// Package energy reads counters of the energy that this machine's processors and GPUs take.
//
// Linux shows those of processors and memory (RAPL, Running Average Power Limit) as folders of files, powercap zones: a processor's
// package, and memory beside it. NVIDIA's driver counts each GPU's, through its management library (NVML), which is loaded when it is
// asked for. Counters are the whole machine's: they count what other programs take, and what a machine at rest takes.
//
// Neighbours: package backends has the words, runner/ask reads the counters while it asks.
package energy
