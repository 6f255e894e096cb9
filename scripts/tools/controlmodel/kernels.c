#include "kernels.h"

#include <string.h>

// DEPTH is how many rows of B are packed at a time: a packed panel of 384×32 floats fills the first-level cache.
enum { DEPTH = 384, STRIP = 128 };

static inline __attribute__((always_inline)) void tile_rows(const int rows, int k, const float *a, ptrdiff_t ra,
                                                            ptrdiff_t ca, const float *b, float *c, ptrdiff_t ldc,
                                                            int add) {
    vec left[TILE], right[TILE];
    for (int i = 0; i < rows; i++) left[i] = right[i] = (vec){0};
    for (int p = 0; p < k; p++) {
        vec b0 = load(b), b1 = load(b + LANES);
#pragma GCC unroll 8
        for (int i = 0; i < rows; i++) {
            vec x = spread(a[i * ra]);
            left[i] += x * b0;
            right[i] += x * b1;
        }
        a += ca;
        b += PANEL;
    }
    for (int i = 0; i < rows; i++) {
        float *row = c + i * ldc;
        if (add) {
            left[i] += load(row);
            right[i] += load(row + LANES);
        }
        store(row, left[i]);
        store(row + LANES, right[i]);
    }
}

void tile(int rows, int k, const float *a, ptrdiff_t ra, ptrdiff_t ca, const float *b, float *c, ptrdiff_t ldc,
          int add) {
    switch (rows) {
    case 1: tile_rows(1, k, a, ra, ca, b, c, ldc, add); return;
    case 2: tile_rows(2, k, a, ra, ca, b, c, ldc, add); return;
    case 3: tile_rows(3, k, a, ra, ca, b, c, ldc, add); return;
    case 4: tile_rows(4, k, a, ra, ca, b, c, ldc, add); return;
    case 5: tile_rows(5, k, a, ra, ca, b, c, ldc, add); return;
    case 6: tile_rows(6, k, a, ra, ca, b, c, ldc, add); return;
    case 7: tile_rows(7, k, a, ra, ca, b, c, ldc, add); return;
    default: tile_rows(8, k, a, ra, ca, b, c, ldc, add); return;
    }
}

static void pack(int k, int n, const float *b, ptrdiff_t rb, ptrdiff_t cb, float *out) {
    for (int j = 0; j < n; j += PANEL)
        for (int p = 0; p < k; p++, out += PANEL) {
            const float *from = b + p * rb + j * cb;
            if (cb == 1) {
                memcpy(out, from, PANEL * sizeof(float));
                continue;
            }
            for (int i = 0; i < PANEL; i++) out[i] = from[i * cb];
        }
}

size_t product_scratch(int n) { return (size_t)DEPTH * n; }

void product(int m, int n, int k, const float *a, ptrdiff_t ra, ptrdiff_t ca, const float *b, ptrdiff_t rb,
             ptrdiff_t cb, float *c, ptrdiff_t ldc, int add, float *scratch) {
    for (int p = 0; p < k; p += DEPTH) {
        int depth = k - p < DEPTH ? k - p : DEPTH;
        pack(depth, n, b + p * rb, rb, cb, scratch);
        for (int s = 0; s < m; s += STRIP) {
            int end = m - s < STRIP ? m : s + STRIP;
            for (int j = 0; j < n; j += PANEL)
                for (int i = s; i < end; i += TILE)
                    tile(end - i < TILE ? end - i : TILE, depth, a + i * ra + p * ca, ra, ca,
                         scratch + (size_t)j * depth, c + i * ldc + j, ldc, add || p > 0);
        }
    }
}

// vexp is e^x by 2^n · 2^f with a polynomial for 2^f, relative error about 1e-7; below -87 it is 0.
vec vexp(vec x) {
    const vec low = spread(-87.0f), high = spread(88.0f);
    ivec dead = x < low;
    x = pick(x > high, high, larger(x, low));
    const vec magic = spread(12582912.0f);
    vec t = x * spread(1.44269504f);
    vec whole = (t + magic) - magic;
    vec f = x - whole * spread(0.693359375f) + whole * spread(2.12194440e-4f);
    vec y = spread(1.9875691500e-4f);
    y = y * f + spread(1.3981999507e-3f);
    y = y * f + spread(8.3334519073e-3f);
    y = y * f + spread(4.1665795894e-2f);
    y = y * f + spread(1.6666665459e-1f);
    y = y * f + spread(5.0000001201e-1f);
    y = y * f * f + f + spread(1.0f);
    ivec power = (__builtin_convertvector(whole, ivec) + 127) << 23;
    vec out = y * (vec)power;
    return (vec)((ivec)out & ~dead);
}

float vsum(vec x) {
    float s = 0;
    for (int i = 0; i < LANES; i++) s += x[i];
    return s;
}

float vmax(vec x) {
    float m = x[0];
    for (int i = 1; i < LANES; i++) m = x[i] > m ? x[i] : m;
    return m;
}

float dot(const float *a, const float *b, int n) {
    vec s = {0};
    for (int i = 0; i < n; i += LANES) s += load(a + i) * load(b + i);
    return vsum(s);
}
