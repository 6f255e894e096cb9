// Package llamatest writes GGUF models whose weights are random numbers: llamas, and models of the architectures
// that people run ([Architectures]).
//
// They say nothing sensible, but cost exactly what a trained model of their shape costs: benchmarks and tests need
// no more. [Sized] gives the shape for a number of parameters. [Write] writes the file, with a vocabulary taken from
// another model ([VocabularyOf]) or a small one of its own ([SmallVocabulary]). A [StandIn] is a llama.cpp that can be
// loaded and computes nothing.
//
// Neighbours: llamacpp quantises and runs them, scripts/tools/randommodel is the command.
package llamatest
