// Package selftest says whether this copy of the program computes right on this machine: the control model answers a few
// questions, and what it writes is held against texts that are known.
//
// The known texts (golden.json) are those of items at which the model is sure of every token: they stay the same, byte for
// byte, with a key/value cache of 4 bits, which is off by far more than one kernel from another. What differs is therefore
// no rounding. They are sums of scripts/tools/arithmetic (seed 77) and questions of the bundled sample, with five shots in style
// tiger@1; go test -update writes the texts anew where the control model is another one. Its weights are F16: products of
// quantised weights are not among what is computed.
//
//	Program ── a process for each kernel ──→ Check ──→ Verdict
//
// [Check] asks in this process. [Program] has each kernel that this CPU has checked by a process of its own, so that one
// which dies or hangs is a verdict like any other.
//
// Neighbours: package embedded has the model, package llamacpp computes, package kernels says which levels there are.
package selftest
