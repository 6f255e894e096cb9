// Package machine says what this computer offers an engine: cores, which of them are fast, how many other programs leave ([Watch]),
// free memory, and what a run's record says of the machine ([Host]).
//
// gopsutil reads the operating system's counters; what it does not know is read here: on which CPUs this process may run,
// which of them share a core, and what a container allows. Neighbours: package llamacpp computes on the cores and fills the
// memory, package backends has the words.
package machine
