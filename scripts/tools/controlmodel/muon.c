#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void transpose(int rows, int columns, const float *from, float *to) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) to[(size_t)j * rows + i] = from[(size_t)i * columns + j];
}

// orthogonalize brings all singular values of x [small][large], whose norm is at most 1, near 1 by five steps of a
// quintic Newton-Schulz iteration.
// spare has room for x, two small squares and the scratch of a product.
static void orthogonalize(int small, int large, float *x, float *spare) {
    const float a = 3.4445f, b = -4.7750f, c = 2.0315f;
    size_t n = (size_t)small * large, side = (size_t)small * small;
    float *next = spare, *square = next + n, *mixed = square + side, *scratch = mixed + side;
    for (int turn = 0; turn < 5; turn++) {
        product(small, small, large, x, large, 1, x, 1, large, square, small, 0, scratch);
        product(small, small, small, square, small, 1, square, small, 1, mixed, small, 0, scratch);
        for (size_t i = 0; i < side; i++) mixed[i] = b * square[i] + c * mixed[i];
        for (int i = 0; i < small; i++) mixed[(size_t)i * small + i] += a;
        product(small, large, small, mixed, small, 1, x, large, 1, next, large, 0, scratch);
        memcpy(x, next, n * sizeof(float));
    }
}

// muon moves one matrix of rows×columns against the orthogonalised momentum of its gradients (Jordan et al. 2024), so
// that rare directions are learned as fast as common ones. The step has the given root mean square times rate, as in
// Liu et al. 2025.
void muon(int rows, int columns, float *p, const float *g, float *momentum, float rate, float beta, float rms,
          float decay, float scale) {
    int small = rows < columns ? rows : columns, large = rows < columns ? columns : rows;
    size_t n = (size_t)rows * columns;
    float *step = malloc((3 * n + 2 * (size_t)small * small + product_scratch(large)) * sizeof(float));
    float *turned = step + n, *spare = turned + n;
    for (size_t i = 0; i < n; i++) {
        float grad = g[i] * scale;
        momentum[i] = beta * momentum[i] + (1 - beta) * grad;
        step[i] = beta * momentum[i] + (1 - beta) * grad;
    }
    float shrink = 1 / ((float)sqrt(squares(n, step)) + 1e-12f);
    for (size_t i = 0; i < n; i++) step[i] *= shrink;
    if (rows > columns) {
        transpose(rows, columns, step, turned);
        orthogonalize(small, large, turned, spare);
        transpose(columns, rows, turned, step);
    } else {
        orthogonalize(small, large, step, spare);
    }
    float reach = rate * rms * sqrtf((float)large);
    for (size_t i = 0; i < n; i++) p[i] -= reach * step[i] + rate * decay * p[i];
    free(step);
}
