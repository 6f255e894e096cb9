// Package isolated runs the in-process engine in a process of its own: this program, started with a hidden command. Whatever ends that
// process (a signal, an assertion, the system when memory runs out, this package when it hangs), the run survives.
//
//	Model ──Engine.*──→ Serve ─ llamacpp.Model          calls: Open, Plan, Tokenize, Generate, Cancel …
//	      ←─Parent.*───                                 and back: Next, Completed, Partings, Warn, Beat …
//
// Both directions are net/rpc over a pair of pipes each. A request's functions stay with the parent; the child calls them. Requests that
// were in flight when a process died are repeated in a new one, one at a time, to find the one that kills it: after its second kill that
// request fails, and the others lose only time. Where several requests in a row kill their process, the engine is broken and Generate
// returns an error.
//
// A process that does no work for as long as [Patience] says is taken for hung and killed. A process ends with its parent, when the
// pipes close, and gets none of the terminal's signals.
//
// Neighbours: package llamacpp computes, in either process; package registry opens models here or there.
package isolated
