#include "model.h"

#include <math.h>
#include <string.h>

// Causal attention in blocks of QUERIES rows: scores of one block against all earlier keys are materialised, nothing
// larger, so memory grows linearly with the sequence. The backward pass recomputes them from the log-sum-exp.
enum { QUERIES = 64 };

static int round_up(int n, int to) { return (n + to - 1) / to * to; }
static ptrdiff_t pitch(int n) { return round_up(n, QUERIES) + LANES; }

// gather copies one head's columns out of rows of the given stride and clears the padding rows.
static void gather(int n, const float *from, int stride, float *to) {
    for (int i = 0; i < n; i++) memcpy(to + (size_t)i * HEAD, from + (size_t)i * stride, HEAD * sizeof(float));
    memset(to + (size_t)n * HEAD, 0, (size_t)(round_up(n, QUERIES) - n) * HEAD * sizeof(float));
}

// panels rearranges rows [n][32] into panels of 32 columns: panel p holds [32 dims][32 rows].
static void panels(int n, const float *rows, float *out) {
    for (int p = 0; p < round_up(n, QUERIES) / PANEL; p++, rows += PANEL * HEAD, out += PANEL * HEAD)
        for (int d = 0; d < HEAD; d++)
            for (int i = 0; i < PANEL; i++) out[d * PANEL + i] = rows[i * HEAD + d];
}

static int tile_height(int i, int end) { return end - i < TILE ? end - i : TILE; }

// against computes block·keysᵀ for rows of 32 and packed keys.
static void against(int rows, int keys, const float *block, const float *packed, float *out, ptrdiff_t ld) {
    for (int j = 0; j < keys; j += PANEL)
        for (int i = 0; i < rows; i += TILE)
            tile(tile_height(i, rows), HEAD, block + i * HEAD, HEAD, 1, packed + (size_t)j * HEAD, out + i * ld + j, ld, 0);
}

static void mask(float *row, int from, int to) {
    for (int j = from; j < to; j++) row[j] = -1e30f;
}

void attention(workspace *w, const tape *t, int from, int n) {
    const int width = w->s.width, heads = width / HEAD;
    const ptrdiff_t ld = pitch(n);
    const float scale = 1.0f / sqrtf(HEAD);
    const float *qkv = t->qkv + (size_t)from * 3 * width;
    float *attn = t->attn + (size_t)from * width, *lse = t->lse + from;
    for (int h = 0; h < heads; h++) {
        gather(n, qkv + h * HEAD, 3 * width, w->q);
        gather(n, qkv + width + h * HEAD, 3 * width, w->k);
        gather(n, qkv + 2 * width + h * HEAD, 3 * width, w->v);
        panels(n, w->k, w->kt);
        for (int q = 0; q < n; q += QUERIES) {
            int rows = n - q < QUERIES ? n - q : QUERIES, keys = round_up(q + rows, PANEL);
            against(rows, keys, w->q + q * HEAD, w->kt, w->score, ld);
            float inverse[QUERIES];
            for (int i = 0; i < rows; i++) {
                float *row = w->score + i * ld;
                mask(row, q + i + 1, keys);
                vec top = load(row);
                for (int j = LANES; j < keys; j += LANES) top = larger(top, load(row + j));
                float high = vmax(top) * scale;
                vec sum = {0};
                for (int j = 0; j < keys; j += LANES) {
                    vec e = vexp(load(row + j) * spread(scale) - spread(high));
                    sum += e;
                    store(row + j, e);
                }
                float total = vsum(sum);
                inverse[i] = 1 / total;
                lse[(size_t)h * w->capacity + q + i] = high + logf(total);
            }
            float *out = attn + (size_t)q * width + h * HEAD;
            for (int i = 0; i < rows; i += TILE)
                tile(tile_height(i, rows), keys, w->score + i * ld, ld, 1, w->v, out + (size_t)i * width, width, 0);
            for (int i = 0; i < rows; i++)
                for (int d = 0; d < HEAD; d++) out[(size_t)i * width + d] *= inverse[i];
        }
    }
}

void attention_back(workspace *w, const tape *t, int from, int n, const float *dattn, float *dqkv) {
    const int width = w->s.width, heads = width / HEAD;
    const ptrdiff_t ld = pitch(n);
    const float scale = 1.0f / sqrtf(HEAD);
    const float *qkv = t->qkv + (size_t)from * 3 * width;
    float *attn = t->attn + (size_t)from * width, *lse = t->lse + from;
    dqkv += (size_t)from * 3 * width;
    for (int h = 0; h < heads; h++) {
        gather(n, qkv + h * HEAD, 3 * width, w->q);
        gather(n, qkv + width + h * HEAD, 3 * width, w->k);
        gather(n, qkv + 2 * width + h * HEAD, 3 * width, w->v);
        gather(n, dattn + (size_t)from * width + h * HEAD, width, w->dout);
        panels(n, w->k, w->kt);
        panels(n, w->v, w->vt);
        memset(w->dk, 0, (size_t)round_up(n, QUERIES) * HEAD * sizeof(float));
        memset(w->dv, 0, (size_t)round_up(n, QUERIES) * HEAD * sizeof(float));
        for (int i = 0; i < n; i++)
            w->delta[i] = dot(w->dout + i * HEAD, attn + (size_t)i * width + h * HEAD, HEAD);
        for (int q = 0; q < n; q += QUERIES) {
            int rows = n - q < QUERIES ? n - q : QUERIES, keys = round_up(q + rows, PANEL);
            against(rows, keys, w->q + q * HEAD, w->kt, w->score, ld);
            against(rows, keys, w->dout + q * HEAD, w->vt, w->dscore, ld);
            for (int i = 0; i < rows; i++) {
                float *p = w->score + i * ld, *ds = w->dscore + i * ld;
                mask(p, q + i + 1, keys);
                vec log_sum = spread(lse[(size_t)h * w->capacity + q + i]), delta = spread(w->delta[q + i]);
                for (int j = 0; j < keys; j += LANES) {
                    vec e = vexp(load(p + j) * spread(scale) - log_sum);
                    store(p + j, e);
                    store(ds + j, e * (load(ds + j) - delta) * spread(scale));
                }
            }
            float *dq = dqkv + (size_t)q * 3 * width + h * HEAD;
            for (int i = 0; i < rows; i += TILE)
                tile(tile_height(i, rows), keys, w->dscore + i * ld, ld, 1, w->k, dq + (size_t)i * 3 * width, 3 * width, 0);
            for (int j = 0; j < keys; j += TILE) {
                tile(TILE, rows, w->dscore + j, 1, ld, w->q + q * HEAD, w->dk + j * HEAD, HEAD, 1);
                tile(TILE, rows, w->score + j, 1, ld, w->dout + q * HEAD, w->dv + j * HEAD, HEAD, 1);
            }
        }
        for (int i = 0; i < n; i++) {
            float *row = dqkv + (size_t)i * 3 * width + h * HEAD;
            memcpy(row + width, w->dk + i * HEAD, HEAD * sizeof(float));
            memcpy(row + 2 * width, w->dv + i * HEAD, HEAD * sizeof(float));
        }
    }
}
