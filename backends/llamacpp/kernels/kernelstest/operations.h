// Single operations of ggml's CPU backend.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ggml.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes floats of n stored values.
void proctor_restore(enum ggml_type type, const void *stored, float *to, int64_t n);

struct ggml_threadpool *proctor_pool_new(int threads);
void proctor_pool_free(struct ggml_threadpool *pool);

// A product of weights, matrices of k × rows, with activations, k × columns: those of experts, which ids names for each column,
// used of them; without ids, every matrix with an equal part of the columns, where there are several in two such parts.
typedef struct {
	enum ggml_type type; // of the weights
	const char *buffer;  // the name of the buffer type that holds them
	int64_t k, rows, columns;
	int64_t matrices, used;
	const int32_t *ids;  // columns × used; NULL: none
	const void *weights; // quantised
	const float *activations;
	bool anyway; // also where the buffer type says that it does not take the weights
} proctor_product;

// Computes a product repeatedly, on the threads of a pool; false where the buffer type does not take the weights.
bool proctor_multiply(proctor_product product, struct ggml_threadpool *pool, int threads, int times, float *result);

// Has package kernels compute as level amx does, without its instructions; false where this program has nothing for it.
bool proctor_use_amx_model(void);

// Attention of tokens in several streams to cells.
typedef struct {
	enum ggml_type type;            // of keys and values
	int64_t width, height;          // of keys and of values
	int64_t heads, shared;          // of queries, and of keys and values
	int64_t tokens, cells, streams; // of each stream, and how many there are
	int64_t first, cached;          // the first stream's number in the cache, and how many that has
	bool copied;                    // keys and values are no view of the cache
	float scale, bias, cap;
	const float *query;      // streams × heads × tokens × width
	const void *key, *value; // cached × cells × shared × width, or height; copied: streams × …
	const uint16_t *mask;    // streams × tokens × cells, halves; NULL: none
	const float *sinks;      // heads; NULL: none
} proctor_attention;

// Computes attention repeatedly, on the threads of a pool: streams × tokens × heads × height.
bool proctor_attend(proctor_attention attention, struct ggml_threadpool *pool, int threads, int times, float *result);

// Computes the root mean square norms of rows of so many values repeatedly, on the threads of a pool.
bool proctor_normalise(const float *from, int64_t width, int64_t rows, float epsilon, struct ggml_threadpool *pool, int threads,
	int times, float *result);

// Rotary positions of tokens × heads × width values.
typedef struct {
	int mode; // GGML_ROPE_TYPE_NORMAL, GGML_ROPE_TYPE_NEOX, GGML_ROPE_TYPE_MROPE or GGML_ROPE_TYPE_IMROPE
	int64_t width, heads, tokens;
	int turned; // values of each head
	float scale, extrapolation;
	const float *factors;     // turned / 2; NULL: none
	const int32_t *positions; // of the last two modes four of each token, all first ones first
	int sections[4];          // of the last two modes
	const float *from;
} proctor_positions;

// Turns the values repeatedly, on the threads of a pool.
bool proctor_turn(proctor_positions positions, struct ggml_threadpool *pool, int threads, int times, float *result);

// An operation of each row of values, and of as many gates, by its name: that in ggml.
typedef struct {
	const char *name;
	int64_t width, rows;
	const float *from, *gates; // NULL: none
} proctor_by_row;

// Computes the operation repeatedly, on the threads of a pool.
bool proctor_compute_by_row(proctor_by_row operation, struct ggml_threadpool *pool, int threads, int times, float *result);

// Adds it to a graph's tensors.
struct ggml_tensor *proctor_by_row_build(
	const char *name, struct ggml_context *context, struct ggml_tensor *values, struct ggml_tensor *gates);

// A scan of sequences of tokens by heads, whose rows have so many states each. The numbers lie as ggml wants them, tokens' numbers
// after each other.
typedef struct {
	int64_t width, rows, heads, groups, tokens, sequences;
	bool one_decay; // for all states of a head
	const float *states, *values, *steps, *decays, *inputs, *asked;
} proctor_scan;

// Computes a scan repeatedly, on the threads of a pool: the outputs, and then the states.
bool proctor_compute_scan(proctor_scan scan, struct ggml_threadpool *pool, int threads, int times, float *result);

// A convolution of sequences of tokens by channels: from has tokens + weights_each - 1 values of each channel.
typedef struct {
	int64_t weights_each, channels, tokens, sequences;
	const float *from, *weights;
} proctor_convolution;

// Computes a convolution repeatedly, on the threads of a pool: sequences × tokens × channels.
bool proctor_convolve(proctor_convolution convolution, struct ggml_threadpool *pool, int threads, int times, float *result);

// Rows of values that are written to a cache, each to its place.
typedef struct {
	enum ggml_type type;
	const char *name; // of the cache's tensor
	int64_t width, cells, rows;
	const float *from;
	const int64_t *places;
} proctor_cache_rows;

// Writes the rows repeatedly, on the threads of a pool: cells × width values, as what is stored says.
bool proctor_set_cache_rows(proctor_cache_rows rows, struct ggml_threadpool *pool, int threads, int times, float *result);

// The bytes that ggml sets aside for attention, whoever computes it.
size_t proctor_attention_work_size(proctor_attention attention, int threads);

#ifdef __cplusplus
}
#endif
