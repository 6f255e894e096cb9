// Package kernels computes what a run of long prompts spends its time on faster than ggml's CPU backend does: products of
// weights with the activations of many tokens, and attention over a long cache. It computes all else too that takes long, or of
// which ggml gives other bits where it is compiled for another CPU: norms, rotary positions, gated linear units, functions of
// single values, softmaxes, and the convolutions, scans and products of activations of recurrent models.
//
// ggml lets a buffer type bring operations along. [Available] adds one (kernels.cpp): weights that [Load] packs lie in it,
// sixteen rows interleaved, a matrix's last ones filled up, and are multiplied by it (mul_mat.h). Attention needs no buffer, it
// is taken over as an operation (flash_attn.h, flash_attn_op.h) of the threads that [Attach] names, as all others are
// (operation_for.h: rms_norm_of.h, norm_of.h, rope_of.h, glu_of.h, unary_of.h, soft_max_of.h, ssm_conv_of.h, ssm_scan_of.h,
// mul_mat_floats_of.h); [Threads.Share] tells attention which slots are a prefix group, so that it goes
// through what they have in common once for all of them (attached.h). Keys and values of a quantised cache are rotated
// when they are written (set_rows.h), and attention turns queries and results alike (rotate.h), as llama.cpp does since
// April 2026.
// [Add] has a ggml that the program has loaded ask the kernels as well, of another release than the headers here: it finds out first
// how that one lays out what the kernels read (library.h), and takes its operations by their names.
//
// What a decode computes is reduced by it as well, to the likeliest token and to predictions (reductions_of.h); package logits asks.
//
// Without cgo the kernels are a shared library beside the program (loaded.go), which is a backend for other programs with ggml as well
// (plugin); its functions are bound as the compiled-in ones are (functions.go).
//
// Everything else ggml computes as before, and so is everything on a CPU that the kernels have nothing for.
//
// What a kind of CPU computes with is a level, a row of the table in level.cpp. [Level] takes the best one that the CPU has,
// when the program runs: amx (AVX-512 with VNNI, and AMX for products of quantised weights), avx512 (AVX-512 with VNNI), avxvnni
// (AVX-VNNI, 256 bits) or avx2 (AVX2, FMA, F16C). A level is a file that is compiled for it whatever the compiler's flags are
// (avx2.cpp, level_headers.h). level_contract.h lists what it defines: vectors of sixteen floats and 64 bytes, one register or
// two (avx512_vector.h, avx2_vector.h), its sums of bytes' products (dot_products.h with avx2_dot_product.h,
// avxvnni_dot_product.h or avx512_dot_product.h, or tile_products.h), and how much fits in its registers and caches. All else is
// written once: how weights are packed (formats.h, k_quants.h), their products by type (quants.h, floats.h, mul_mat_of.h with
// ahead.h), where those with few columns need no weights unpacked to memory, and attention (queries.h, scores.h, gemm.h,
// attention_floats.h, flash_attn_of.h) and the other operations.
//
// Which level multiplies weights is measured, by their type and the number of tokens, when a model's first ones are packed
// (multipliers.h); [Multiplying] names them.
//
// All levels compute the same bits. Sixteen rows lie interleaved, and a row's sum stays in its own lane, so no order of
// additions depends on a vector's width; sums of bytes' products are exact; what is fused is written so. package kernelstest has
// the arithmetic of one number after the other, and each level must match it to the bit; it has the tile
// instructions of AMX as well, for a CPU that has none. And what ggml asks of the C library, sines,
// exponentials and the like of floats, libraries need not round alike, and glibc chooses by the CPU: a program that contains
// this package has its own (libm.c).
//
// Nor do the bits depend on what CPU the program was compiled for, native or portable, though ggml's own do wherever it has other
// code for AVX-512 than for AVX2. What is left to ggml has the same steps for each: what is exact, what is rounded once for each
// value, GELU from its table, sums in doubles, and products with types that are not packed, whose sums of bytes are exact. Plain
// attention has not, which llama.cpp computes without flash attention, where a GPU takes part, nor have RWKV 7's states and the
// equations of Qwen 3 Next: package journal keeps builds that compute them apart.
//
// A token gets the same bits whatever is computed beside it: other slots, other tokens of its prompt, more threads. What
// a model answers does not depend on the number of slots.
//
// Weights are what they are in ggml. Beside quantised ones, activations are rounded to 8 bits as there, 32 sharing a
// scale; sums of products are exact within 16 or 32 values, and floats beyond. Attention is computed in floats from keys
// and values as the cache has them. Against exact arithmetic both are off by no more than ggml's kernels; the tests say by
// how much. Products of 32-bit floats, which ggml adds up in doubles, are off by a millionth.
//
// A program that contains this package looks first of all whether the CPU has what it was compiled for (startup.c), and
// exits with 2 and one line where it has not.
//
// Neighbours: package llamacpp decides when they are used; package kernelstest runs single operations for the tests.
package kernels
