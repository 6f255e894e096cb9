// sqrtf may become one instruction: nobody reads errno here.
#pragma GCC optimize("no-math-errno")

#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t layer_size(const shape *s) { return (size_t)s->width * (2 + 4 * s->width + 3 * s->hidden); }

size_t parameters(const shape *s) {
    return 2 * (size_t)s->vocab * s->width + s->layers * layer_size(s) + s->width;
}

layer layer_at(const shape *s, float *base, int index) {
    size_t d = s->width;
    layer l;
    l.attn_norm = base + s->vocab * d + index * layer_size(s);
    l.qkv = l.attn_norm + d;
    l.attn_out = l.qkv + 3 * d * d;
    l.ffn_norm = l.attn_out + d * d;
    l.gate_up = l.ffn_norm + d;
    l.down = l.gate_up + 2 * d * s->hidden;
    return l;
}

float *final_norm(const shape *s, float *base) { return base + (size_t)s->vocab * s->width + s->layers * layer_size(s); }
float *output_weight(const shape *s, float *base) { return final_norm(s, base) + s->width; }

static float *floats(size_t n) {
    float *p = aligned_alloc(64, (n * sizeof(float) + 127) / 64 * 64);
    memset(p, 0, n * sizeof(float));
    return p;
}

workspace *workspace_new(shape s, int capacity) {
    workspace *w = calloc(1, sizeof *w);
    size_t c = (capacity + 63) / 64 * 64, d = s.width, wide = 2 * s.hidden > 3 * s.width ? 2 * s.hidden : 3 * s.width;
    w->s = s;
    w->capacity = c;
    w->tapes = calloc(s.layers, sizeof *w->tapes);
    for (int i = 0; i < s.layers; i++) {
        tape *t = &w->tapes[i];
        t->in = floats(c * d);
        t->attn_in = floats(c * d);
        t->attn_scale = floats(c);
        t->qkv = floats(c * 3 * d);
        t->attn = floats(c * d);
        t->lse = floats(c * (d / HEAD));
        t->mid = floats(c * d);
        t->ffn_in = floats(c * d);
        t->ffn_scale = floats(c);
        t->gate_up = floats(c * 2 * s.hidden);
        t->act = floats(c * s.hidden);
    }
    w->out = floats(c * d);
    w->out_scale = floats(c);
    w->normed = floats(c * d);
    w->cosines = floats(c * HEAD / 2);
    w->sines = floats(c * HEAD / 2);
    w->grad = floats(c * d);
    w->grad_norm = floats(c * d);
    w->grad_mid = floats(c * wide);
    w->grad_wide = floats(c * s.hidden);
    w->scratch = floats(product_scratch(s.vocab > (int)wide ? s.vocab : (int)wide));
    float **head[] = {&w->q, &w->k, &w->v, &w->kt, &w->vt, &w->dout, &w->dk, &w->dv};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) *head[i] = floats(c * HEAD);
    w->score = floats(64 * (c + LANES));
    w->dscore = floats(64 * (c + LANES));
    w->delta = floats(c);
    w->rows = floats(LOSS_ROWS * d);
    w->drows = floats(LOSS_ROWS * d);
    w->logits = floats((size_t)LOSS_ROWS * s.vocab);
    return w;
}

void workspace_free(workspace *w) {
    for (int i = 0; i < w->s.layers; i++) {
        tape *t = &w->tapes[i];
        float *of_layer[] = {t->in,  t->attn_in, t->attn_scale, t->qkv,     t->attn, t->lse,
                             t->mid, t->ffn_in,  t->ffn_scale,  t->gate_up, t->act};
        for (size_t j = 0; j < sizeof of_layer / sizeof *of_layer; j++) free(of_layer[j]);
    }
    float *own[] = {w->out,     w->out_scale, w->normed, w->cosines, w->sines, w->grad,  w->grad_norm, w->grad_mid, w->grad_wide,
                    w->scratch, w->q,         w->k,      w->v,       w->kt,    w->vt,    w->dout,      w->dk,       w->dv,
                    w->score,   w->dscore,    w->delta,  w->rows,    w->drows, w->logits};
    for (size_t j = 0; j < sizeof own / sizeof *own; j++) free(own[j]);
    free(w->tapes);
    free(w);
}

// norm: y = x · scale · gain with scale = 1/sqrt(mean(x²) + eps), row by row.
static void norm(int n, int d, float eps, const float *x, const float *gain, float *y, float *scales) {
    for (int i = 0; i < n; i++, x += d, y += d) {
        float r = scales[i] = 1 / sqrtf(dot(x, x, d) / d + eps);
        for (int j = 0; j < d; j += LANES) store(y + j, load(x + j) * load(gain + j) * spread(r));
    }
}

// norm_back adds the gradient through norm to dx.
static void norm_back(int n, int d, const float *x, const float *gain, const float *scales, const float *dy, float *dx,
                      float *dgain) {
    for (int i = 0; i < n; i++, x += d, dy += d, dx += d) {
        float r = scales[i];
        vec sum = {0};
        for (int j = 0; j < d; j += LANES) sum += load(dy + j) * load(gain + j) * load(x + j);
        float pull = vsum(sum) * r * r * r / d;
        for (int j = 0; j < d; j += LANES) {
            vec g = load(dy + j), v = load(x + j);
            store(dgain + j, load(dgain + j) + g * v * spread(r));
            store(dx + j, load(dx + j) + g * load(gain + j) * spread(r) - v * spread(pull));
        }
    }
}

// rotate turns neighbouring pairs (2i, 2i+1) of each head by position · base^(-2i/32); sign -1 turns back.
static void rotate(int n, int width, int stride, const float *cosines, const float *sines, float sign, float *x) {
    for (int i = 0; i < n; i++, x += stride, cosines += HEAD / 2, sines += HEAD / 2)
        for (int h = 0; h < width; h += HEAD)
            for (int j = 0; j < HEAD / 2; j++) {
                float *pair = x + h + 2 * j, a = pair[0], b = pair[1], c = cosines[j], s = sign * sines[j];
                pair[0] = a * c - b * s;
                pair[1] = a * s + b * c;
            }
}

static void angles(workspace *w, int from, int n, const int *positions) {
    float rates[HEAD / 2];
    for (int j = 0; j < HEAD / 2; j++) rates[j] = powf(w->s.rope_base, -2.0f * j / HEAD);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < HEAD / 2; j++) {
            float a = positions[i] * rates[j];
            w->cosines[(size_t)(from + i) * HEAD / 2 + j] = cosf(a);
            w->sines[(size_t)(from + i) * HEAD / 2 + j] = sinf(a);
        }
}

static vec sigmoid(vec x) { return spread(1) / (spread(1) + vexp(-x)); }

static void swiglu(int n, int hidden, const float *gate_up, float *act) {
    for (int i = 0; i < n; i++, gate_up += 2 * hidden, act += hidden)
        for (int j = 0; j < hidden; j += LANES) {
            vec g = load(gate_up + j);
            store(act + j, g * sigmoid(g) * load(gate_up + hidden + j));
        }
}

static void swiglu_back(int n, int hidden, const float *gate_up, const float *dact, float *dgate_up) {
    for (int i = 0; i < n; i++, gate_up += 2 * hidden, dgate_up += 2 * hidden, dact += hidden)
        for (int j = 0; j < hidden; j += LANES) {
            vec g = load(gate_up + j), u = load(gate_up + hidden + j), d = load(dact + j), s = sigmoid(g);
            store(dgate_up + j, d * u * s * (spread(1) + g * (spread(1) - s)));
            store(dgate_up + hidden + j, d * g * s);
        }
}

// through computes y[n][out] (+)= x[n][in]·weightᵀ, weight stored [out][in].
static void through(workspace *w, int n, int in, int out, const float *x, const float *weight, float *y, int add) {
    product(n, out, in, x, in, 1, weight, 1, in, y, out, add, w->scratch);
}

// through_back computes dx = dy·weight and adds dyᵀ·x to dweight.
static void through_back(workspace *w, int n, int in, int out, const float *x, const float *weight, const float *dy,
                         float *dx, float *dweight) {
    product(n, in, out, dy, out, 1, weight, in, 1, dx, in, 0, w->scratch);
    product(out, in, n, dy, 1, out, x, in, 1, dweight, in, 1, w->scratch);
}

void forward(workspace *w, const float *params, int n, const int *tokens, const int *positions, int sequences,
             const int *ends) {
    const shape *s = &w->s;
    int d = s->width;
    angles(w, 0, n, positions);
    for (int i = 0; i < n; i++) memcpy(w->tapes[0].in + (size_t)i * d, params + (size_t)tokens[i] * d, d * sizeof(float));
    for (int i = 0; i < s->layers; i++) {
        tape *t = &w->tapes[i];
        layer l = layer_at(s, (float *)params, i);
        float *out = i + 1 < s->layers ? w->tapes[i + 1].in : w->out;
        norm(n, d, s->eps, t->in, l.attn_norm, t->attn_in, t->attn_scale);
        through(w, n, d, 3 * d, t->attn_in, l.qkv, t->qkv, 0);
        rotate(n, 2 * d, 3 * d, w->cosines, w->sines, 1, t->qkv);
        for (int from = 0, j = 0; j < sequences; from = ends[j++]) attention(w, t, from, ends[j] - from);
        memcpy(t->mid, t->in, (size_t)n * d * sizeof(float));
        through(w, n, d, d, t->attn, l.attn_out, t->mid, 1);
        norm(n, d, s->eps, t->mid, l.ffn_norm, t->ffn_in, t->ffn_scale);
        through(w, n, d, 2 * s->hidden, t->ffn_in, l.gate_up, t->gate_up, 0);
        swiglu(n, s->hidden, t->gate_up, t->act);
        memcpy(out, t->mid, (size_t)n * d * sizeof(float));
        through(w, n, s->hidden, d, t->act, l.down, out, 1);
    }
    norm(n, d, s->eps, w->out, final_norm(s, (float *)params), w->normed, w->out_scale);
}

double loss(workspace *w, const float *params, float *grads, int n, int count, const int *rows, const int *targets,
            const float *weights) {
    const shape *s = &w->s;
    int d = s->width;
    const float *weight = output_weight(s, (float *)params);
    double total = 0;
    if (grads) memset(w->grad_norm, 0, (size_t)n * d * sizeof(float));
    for (int from = 0; from < count; from += LOSS_ROWS) {
        int m = count - from < LOSS_ROWS ? count - from : LOSS_ROWS;
        for (int i = 0; i < m; i++)
            memcpy(w->rows + (size_t)i * d, w->normed + (size_t)rows[from + i] * d, d * sizeof(float));
        through(w, m, d, s->vocab, w->rows, weight, w->logits, 0);
        for (int i = 0; i < m; i++) {
            float *z = w->logits + (size_t)i * s->vocab;
            vec top = load(z), sum = {0};
            for (int j = LANES; j < s->vocab; j += LANES) top = larger(top, load(z + j));
            float high = vmax(top), right = z[targets[from + i]];
            for (int j = 0; j < s->vocab; j += LANES) {
                vec e = vexp(load(z + j) - spread(high));
                sum += e;
                store(z + j, e);
            }
            float mass = vsum(sum), weigh = weights[from + i];
            total += weigh * (high + logf(mass) - right);
            for (int j = 0; j < s->vocab; j += LANES) store(z + j, load(z + j) * spread(weigh / mass));
            z[targets[from + i]] -= weigh;
        }
        if (!grads) continue;
        through_back(w, m, d, s->vocab, w->rows, weight, w->logits, w->drows, output_weight(s, grads));
        for (int i = 0; i < m; i++)
            accumulate(d, w->grad_norm + (size_t)rows[from + i] * d, w->drows + (size_t)i * d);
    }
    return total;
}

void backward(workspace *w, const float *params, float *grads, int n, const int *tokens, int sequences,
              const int *ends) {
    const shape *s = &w->s;
    int d = s->width;
    memset(w->grad, 0, (size_t)n * d * sizeof(float));
    norm_back(n, d, w->out, final_norm(s, (float *)params), w->out_scale, w->grad_norm, w->grad, final_norm(s, grads));
    for (int i = s->layers - 1; i >= 0; i--) {
        tape *t = &w->tapes[i];
        layer l = layer_at(s, (float *)params, i), g = layer_at(s, grads, i);
        through_back(w, n, s->hidden, d, t->act, l.down, w->grad, w->grad_wide, g.down);
        swiglu_back(n, s->hidden, t->gate_up, w->grad_wide, w->grad_mid);
        through_back(w, n, d, 2 * s->hidden, t->ffn_in, l.gate_up, w->grad_mid, w->grad_norm, g.gate_up);
        norm_back(n, d, t->mid, l.ffn_norm, t->ffn_scale, w->grad_norm, w->grad, g.ffn_norm);
        through_back(w, n, d, d, t->attn, l.attn_out, w->grad, w->grad_norm, g.attn_out);
        for (int from = 0, j = 0; j < sequences; from = ends[j++])
            attention_back(w, t, from, ends[j] - from, w->grad_norm, w->grad_mid);
        rotate(n, 2 * d, 3 * d, w->cosines, w->sines, -1, w->grad_mid);
        through_back(w, n, d, 3 * d, t->attn_in, l.qkv, w->grad_mid, w->grad_norm, g.qkv);
        norm_back(n, d, t->in, l.attn_norm, t->attn_scale, w->grad_norm, w->grad, g.attn_norm);
    }
    for (int i = 0; i < n; i++) accumulate(d, grads + (size_t)tokens[i] * d, w->grad + (size_t)i * d);
}

void last_logits(workspace *w, const float *params, int n, float *logits) {
    const float *weight = output_weight(&w->s, (float *)params), *x = w->normed + (size_t)(n - 1) * w->s.width;
    for (int i = 0; i < w->s.vocab; i++) logits[i] = dot(weight + (size_t)i * w->s.width, x, w->s.width);
}

void adamw(size_t n, float *p, const float *g, float *m, float *v, float rate, float beta1, float beta2, float eps,
           float decay, float correct1, float correct2, float scale) {
    for (size_t i = 0; i < n; i++) {
        float x = g[i] * scale;
        m[i] = beta1 * m[i] + (1 - beta1) * x;
        v[i] = beta2 * v[i] + (1 - beta2) * x * x;
        p[i] -= rate * (m[i] * correct1 / (sqrtf(v[i] * correct2) + eps) + decay * p[i]);
    }
}

void accumulate(size_t n, float *into, const float *from) {
    for (size_t i = 0; i < n; i++) into[i] += from[i];
}

double squares(size_t n, const float *x) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)x[i] * x[i];
    return sum;
}
