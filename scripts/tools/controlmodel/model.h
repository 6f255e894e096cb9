// Forward and backward pass of the llama architecture over one sequence.
#ifndef CONTROL_MODEL_H
#define CONTROL_MODEL_H

#include "kernels.h"

enum { HEAD = 32 };  // width of an attention head

typedef struct {
    int vocab, width, layers, hidden;
    float rope_base, eps;
} shape;

// layer points into a flat array of parameters (or of their gradients).
typedef struct {
    float *attn_norm, *qkv, *attn_out, *ffn_norm, *gate_up, *down;
} layer;

// tape keeps what one layer's backward pass needs; rows are positions.
typedef struct {
    float *in, *attn_in, *attn_scale, *qkv, *attn, *lse, *mid, *ffn_in, *ffn_scale, *gate_up, *act;
} tape;

typedef struct {
    shape s;
    int capacity;
    tape *tapes;
    float *out, *out_scale, *normed;          // after the last layer
    float *cosines, *sines;                   // [capacity][HEAD/2]
    float *grad, *grad_norm, *grad_mid, *grad_wide;  // running gradients by row
    float *scratch;
    float *q, *k, *v, *kt, *vt, *dout, *dk, *dv, *score, *dscore, *delta;  // of one head
    float *rows, *logits, *drows;             // of the positions that carry loss
    int *positions;
} workspace;

enum { LOSS_ROWS = 256 };

size_t parameters(const shape *s);
layer layer_at(const shape *s, float *base, int index);
float *final_norm(const shape *s, float *base);
float *output_weight(const shape *s, float *base);

workspace *workspace_new(shape s, int capacity);
void workspace_free(workspace *w);

// forward runs n tokens that are several sequences one after the other: sequence i ends before row ends[i].
void forward(workspace *w, const float *params, int n, const int *tokens, const int *positions, int sequences, const int *ends);
// loss returns the weighted sum of cross entropies in nats at the given rows and leaves the gradient with respect to
// the last layer in w; grads may be null (then only the loss is computed).
double loss(workspace *w, const float *params, float *grads, int n, int count, const int *rows, const int *targets,
            const float *weights);
void backward(workspace *w, const float *params, float *grads, int n, const int *tokens, int sequences, const int *ends);
// last_logits writes the logits after row n-1 of the latest forward.
void last_logits(workspace *w, const float *params, int n, float *logits);

void attention(workspace *w, const tape *t, int from, int n);
void attention_back(workspace *w, const tape *t, int from, int n, const float *dattn, float *dqkv);
void adamw(size_t n, float *p, const float *g, float *m, float *v, float rate, float beta1, float beta2, float eps,
           float decay, float correct1, float correct2, float scale);
void muon(int rows, int columns, float *p, const float *g, float *momentum, float rate, float beta, float rms, float decay,
          float scale);
void accumulate(size_t n, float *into, const float *from);
double squares(size_t n, const float *x);

#endif
