// Package isolated runs the in-process engine in a process of its own, a child. Whatever ends that process (a signal,
// an assertion, the system when memory runs out, this package when it hangs), the run survives.
//
//	Model ── command: a call, or the answer to a callback ──→ engine ─ llamacpp.Model
//	      ←── event: an answer, a callback, or news ──────────
//
// There are four calls: Open, Plan, Generate, and Ask for everything small, which may come beside Generate. A request's
// functions stay with the parent; the engine calls them back. Requests that were in flight when a process died are
// repeated in a new one, one at a time, to find the one that kills it: after its second kill that request fails, and
// the others lose only time. Where several requests in a row kill their process, the engine is broken and Generate
// returns an error.
//
// A process that does no work for as long as [Patience] says is taken for hung and killed.
//
// Neighbours: package child starts the process and says why it died, package llamacpp computes, in either process;
// package registry opens models here or there.
package isolated
