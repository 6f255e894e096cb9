// Package kernels computes what a 5-shot exam spends its time on faster than ggml's CPU backend does: products of weights
// with the activations of many tokens, and attention over a long cache.
//
// ggml lets a buffer type bring operations along. [Available] adds one: weights that [Load] packs lie in it, sixteen rows interleaved (avx512_formats.h), and are multiplied by it (avx512_mul_mat.cpp; avx512_quants.h for quantised weights, avx512_floats.h
// for those of 16 bits). Attention needs no buffer, it is taken over as an operation (avx512_flash_attn.cpp) of the threads that
// [Attach] names; [Threads.Share] tells it what several slots have in common, so that it goes through that once for all of them. Everything else ggml computes as
// before, and so is everything on a CPU that the kernels are not compiled for: they need AVX-512 with VNNI.
//
// A token gets the same bits whatever is computed beside it: other slots, other tokens of its prompt, more threads. What
// a model answers does not depend on the number of slots.
//
// Weights are what they are in ggml. Beside quantised ones, activations are rounded to 8 bits as there, 32 sharing a
// scale; sums of products are exact within 16 or 32 values, and floats beyond. Attention is computed in floats from keys
// and values as the cache has them. Against exact arithmetic both are off by no more than ggml's kernels; the tests say by
// how much.
//
// A program that contains this package looks first of all whether the CPU has what it was compiled for (startup.c), and
// exits with 2 and one line where it has not.
//
// Neighbours: package llamacpp decides when they are used; package kernelstest runs single operations for the tests.
package kernels
