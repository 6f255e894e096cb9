// Package kernels computes what a run of long prompts spends its time on faster than ggml's CPU backend does: products of
// weights with the activations of many tokens, and attention over a long cache.
//
// ggml lets a buffer type bring operations along. [Available] adds one (kernels.cpp): weights that [Load] packs lie in it,
// sixteen rows interleaved, and are multiplied by it (mul_mat.h). Attention needs no buffer, it is taken over as an operation
// (flash_attn.h, flash_attn_op.h) of the threads that [Attach] names; [Threads.Share] tells it which slots are a prefix
// group, so that it goes through what they have in common once for all of them (prefix_groups.h). Everything else ggml
// computes as before, and so is everything on a CPU that the kernels have nothing for.
//
// What a kind of CPU computes with is a level, a row of the table in level.cpp, with files named for it that are compiled for
// it whatever the compiler's flags are (avx512_target.h). [Level] takes the best one that the CPU has, when the program
// runs. There is one so far: avx512, AVX-512 with VNNI (avx512_formats.h: how weights are packed; avx512_quants.h and
// avx512_floats.h: their products by type; avx512_queries.h: attention).
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
