#include "imatrix.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "ggml-backend.h"
#include "ggml.h"
#include "gguf.h"

// What the matrices of a tensor were multiplied with: of several, the experts of a layer, each has its own rows.
struct sums {
	int64_t columns = 0;
	std::vector<double> squares; // matrix by matrix, a column each
	std::vector<int64_t> rows;   // a matrix each

	void add(int64_t matrix, const float *x) {
		double *to = squares.data() + matrix * columns;
		for (int64_t i = 0; i < columns; i++) {
			to[i] += (double) x[i] * x[i];
		}
		rows[matrix]++;
	}
};

struct proctor_imatrix {
	std::map<std::string, sums> tensors;
	std::vector<char> activations, experts; // copies of what does not lie in this process's memory
};

proctor_imatrix *proctor_imatrix_new(void) { return new proctor_imatrix; }

void proctor_imatrix_free(proctor_imatrix *all) { delete all; }

// A tensor's name without what the scheduler of backends adds to copies: "CUDA0#blk.0.attn_q.weight#0".
static std::string plain_name(const char *name) {
	const char *begin = strchr(name, '#');
	begin = begin == nullptr ? name : begin + 1;
	const char *end = strchr(begin, '#');
	return end == nullptr ? std::string(begin) : std::string(begin, end - begin);
}

static const char *bytes_of(const ggml_tensor *t, std::vector<char> &copy) {
	if (t->buffer == nullptr || ggml_backend_buffer_is_host(t->buffer)) {
		return (const char *) t->data;
	}
	copy.resize(ggml_nbytes(t));
	ggml_backend_tensor_get(t, copy.data(), 0, copy.size());
	return copy.data();
}

// Adds what a product of a layer's weights has computed with; llama.cpp's llama-imatrix counts the same.
static void add(proctor_imatrix *all, const ggml_tensor *product) {
	const ggml_tensor *weights = product->src[0], *x = product->src[1];
	const bool mixture = product->op == GGML_OP_MUL_MAT_ID;
	sums &s = all->tensors[plain_name(weights->name)];
	const int64_t matrices = weights->ne[2] * weights->ne[3];
	if (s.rows.empty()) {
		s.columns = weights->ne[0];
		s.squares.resize(s.columns * matrices);
		s.rows.resize(matrices);
	}
	const char *data = bytes_of(x, all->activations);
	if (mixture) {
		const ggml_tensor *ids = product->src[2];
		const char *chosen = bytes_of(ids, all->experts);
		for (int64_t token = 0; token < ids->ne[1]; token++) {
			for (int64_t i = 0; i < ids->ne[0]; i++) {
				const int32_t expert = *(const int32_t *) (chosen + token * ids->nb[1] + i * ids->nb[0]);
				if (expert >= 0 && expert < matrices) {
					s.add(expert, (const float *) (data + (i % x->ne[1]) * x->nb[1] + token * x->nb[2]));
				}
			}
		}
		return;
	}
	for (int64_t i3 = 0; i3 < x->ne[3]; i3++) {
		for (int64_t i2 = 0; i2 < x->ne[2]; i2++) {
			const int64_t matrix = i3 / (x->ne[3] / weights->ne[3]) * weights->ne[2] + i2 / (x->ne[2] / weights->ne[2]);
			for (int64_t i1 = 0; i1 < x->ne[1]; i1++) {
				s.add(matrix, (const float *) (data + i1 * x->nb[1] + i2 * x->nb[2] + i3 * x->nb[3]));
			}
		}
	}
}

static bool evaluated(ggml_tensor *t, bool ask, void *all) {
	const bool product = t->op == GGML_OP_MUL_MAT || t->op == GGML_OP_MUL_MAT_ID;
	if (!product || t->src[1]->type != GGML_TYPE_F32 || plain_name(t->src[0]->name).rfind("blk.", 0) != 0) {
		return !ask; // not asked, it says whether to go on
	}
	if (!ask) {
		add((proctor_imatrix *) all, t);
	}
	return true;
}

void *proctor_imatrix_callback(void) { return (void *) evaluated; }

int64_t proctor_imatrix_rows(const proctor_imatrix *all) {
	int64_t most = 0;
	for (const auto &[name, s] : all->tensors) {
		for (int64_t rows : s.rows) {
			most = std::max(most, rows);
		}
	}
	return most;
}

bool proctor_imatrix_write(const proctor_imatrix *all, const char *path, const char *dataset, uint32_t chunks, uint32_t chunk_size) {
	size_t bytes = 0;
	for (const auto &[name, s] : all->tensors) {
		bytes += 2 * ggml_tensor_overhead() + GGML_PAD(s.squares.size() * sizeof(float), GGML_MEM_ALIGN) +
			GGML_PAD(s.rows.size() * sizeof(float), GGML_MEM_ALIGN);
	}
	ggml_context *tensors = ggml_init({bytes, nullptr, false});
	gguf_context *file = gguf_init_empty();
	if (tensors == nullptr || file == nullptr) {
		return false;
	}
	gguf_set_val_str(file, "general.type", "imatrix");
	gguf_set_arr_str(file, "imatrix.datasets", &dataset, 1);
	gguf_set_val_u32(file, "imatrix.chunk_count", chunks);
	gguf_set_val_u32(file, "imatrix.chunk_size", chunk_size);
	for (const auto &[name, s] : all->tensors) {
		ggml_tensor *squares = ggml_new_tensor_2d(tensors, GGML_TYPE_F32, s.columns, (int64_t) s.rows.size());
		ggml_tensor *rows = ggml_new_tensor_2d(tensors, GGML_TYPE_F32, 1, (int64_t) s.rows.size());
		ggml_format_name(squares, "%s.in_sum2", name.c_str());
		ggml_format_name(rows, "%s.counts", name.c_str());
		std::copy(s.squares.begin(), s.squares.end(), (float *) squares->data);
		std::copy(s.rows.begin(), s.rows.end(), (float *) rows->data);
		gguf_add_tensor(file, squares);
		gguf_add_tensor(file, rows);
	}
	const bool written = gguf_write_to_file(file, path, false);
	gguf_free(file);
	ggml_free(tensors);
	return written;
}
