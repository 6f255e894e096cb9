// Package isolated runs the in-process engine in a process of its own: this program, started with a hidden command. Whatever ends that
// process, a signal, an assertion, the system for want of memory, or this package where it hangs, ends no run.
//
//	Model ──Engine.*──→ Serve ─ llamacpp.Model          calls: Open, Plan, Tokenize, Generate, Cancel …
//	      ←─Parent.*───                                 and back: Next, Completed, Partings, Log, Beat …
//
// Both directions are net/rpc over a pair of pipes each. A request's functions stay with the parent, the child asks them. What was in
// flight at a death is asked again of a new process, one request at a time, so that the one which kills it is found: it has killed
// twice then and is given up, as a failed request. The others lose nothing but time. Where several in a row are given up, the engine is
// broken, and Generate says so.
//
// A process hangs that does no work for [Patience], whatever it is at; see there. It dies with its parent, by its end of the pipes,
// and gets none of the terminal's signals.
//
// Neighbours: package llamacpp computes, in either process; package open chooses.
package isolated
