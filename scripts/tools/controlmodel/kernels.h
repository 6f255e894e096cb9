// Vector kernels under the control model: blocked matrix products, exponentials, row sums.
// All widths are multiples of 32 floats, so no kernel has a ragged right edge.
#ifndef CONTROL_KERNELS_H
#define CONTROL_KERNELS_H

#include <stddef.h>

typedef float vec __attribute__((vector_size(64), aligned(4)));
typedef int ivec __attribute__((vector_size(64), aligned(4)));

enum { LANES = 16, PANEL = 32, TILE = 8 };

// tile computes rows×32 of C = A·B (or C += A·B), rows <= 8. A's element (i,k) stands at a[i*ra + k*ca],
// B is packed: row k holds 32 floats.
void tile(int rows, int k, const float *a, ptrdiff_t ra, ptrdiff_t ca, const float *b, float *c, ptrdiff_t ldc, int add);

// product computes C[m][n] = A·B, or C += A·B. A's element (i,k) is a[i*ra + k*ca], B's element (k,j) is
// b[k*rb + j*cb]; one of rb, cb is 1. scratch holds at least product_scratch(n) floats.
void product(int m, int n, int k, const float *a, ptrdiff_t ra, ptrdiff_t ca, const float *b, ptrdiff_t rb,
             ptrdiff_t cb, float *c, ptrdiff_t ldc, int add, float *scratch);
size_t product_scratch(int n);

vec vexp(vec x);
float vsum(vec x);
float vmax(vec x);
float dot(const float *a, const float *b, int n);

static inline vec load(const float *p) { return *(const vec *)p; }
static inline void store(float *p, vec v) { *(vec *)p = v; }
static inline vec spread(float x) { return x - (vec){0}; }
static inline vec pick(ivec mask, vec a, vec b) { return (vec)(((ivec)a & mask) | ((ivec)b & ~mask)); }
static inline vec larger(vec a, vec b) { return pick(a > b, a, b); }

#endif
