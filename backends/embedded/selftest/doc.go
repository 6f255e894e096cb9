// Package selftest says whether this copy of the program computes right on this machine: the control model answers a
// few questions, and what it writes is compared with known texts.
//
// The known texts (golden.json) are those of items at which the model is sure of every token: they stay the same, byte
// for byte, with a key/value cache of 4 bits, which rounds far more coarsely than kernels differ. A difference is
// therefore an error, not rounding. They are sums of scripts/tools/arithmetic (seed 77) and questions of the bundled
// sample, with five shots in style tiger@1; go test -update writes the texts anew where the control model is another
// one. Its weights are F16: products of quantised weights are not among what is computed.
//
// [Golden.Check] checks in this process, [Apart] in one of its own.
//
// Neighbours: package embedded has the model, package llamacpp computes.
package selftest
