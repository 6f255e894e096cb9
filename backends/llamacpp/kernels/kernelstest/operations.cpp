#include "operations.h"

#include <cstring>
#include <initializer_list>
#include <numeric>
#include <utility>
#include <vector>

#include "ggml-alloc.h"
#include "ggml-backend.h"
#include "ggml-cpu.h"

void proctor_restore(enum ggml_type type, const void *stored, float *to, int64_t n) {
	if (type == GGML_TYPE_F32) {
		memcpy(to, stored, n * sizeof *to);
		return;
	}
	ggml_get_type_traits(type)->to_float(stored, to, n);
}

ggml_threadpool *proctor_pool_new(int threads) {
	ggml_threadpool_params params = ggml_threadpool_params_default(threads);
	return ggml_threadpool_new(&params);
}

void proctor_pool_free(ggml_threadpool *pool) { ggml_threadpool_free(pool); }

static ggml_backend_buffer_type_t buffer_type(const char *name) {
	ggml_backend_dev_t cpu = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
	void *function = ggml_backend_reg_get_proc_address(ggml_backend_dev_backend_reg(cpu), "ggml_backend_dev_get_extra_bufts");
	auto extra = (ggml_backend_dev_get_extra_bufts_t) function;
	for (ggml_backend_buffer_type_t *type = extra(cpu); *type != nullptr; type++) {
		if (strcmp(ggml_backend_buft_name(*type), name) == 0) {
			return *type;
		}
	}
	return strcmp(name, "CPU") == 0 ? ggml_backend_cpu_buffer_type() : nullptr;
}

// Tensors without memory, until they are given some.
struct tensors {
	static constexpr size_t most = GGML_DEFAULT_GRAPH_SIZE + 16;
	ggml_context *context = ggml_init({ggml_tensor_overhead() * most + ggml_graph_overhead(), nullptr, true});
	~tensors() { ggml_free(context); }
};

// Computes an operation, given its operands, the given number of times, in one graph.
static bool compute(tensors &all, std::initializer_list<std::pair<ggml_tensor *, const void *>> operands, ggml_tensor *result,
	ggml_threadpool *pool, int threads, int times, float *to) {
	ggml_backend_buffer_t memory = ggml_backend_alloc_ctx_tensors_from_buft(all.context, ggml_backend_cpu_buffer_type());
	for (const auto &[tensor, data] : operands) {
		if (tensor != nullptr) {
			ggml_backend_tensor_set(tensor, data, 0, ggml_nbytes(tensor));
		}
	}
	ggml_cgraph *graph = ggml_new_graph(all.context);
	ggml_build_forward_expand(graph, result);
	for (int i = 1; i < times; i++) {
		ggml_tensor *again = ggml_dup_tensor(all.context, result);
		*again = *result;
		ggml_build_forward_expand(graph, again);
	}
	ggml_backend_t cpu = ggml_backend_cpu_init();
	ggml_backend_cpu_set_n_threads(cpu, threads);
	ggml_backend_cpu_set_threadpool(cpu, pool);
	bool done = ggml_backend_graph_compute(cpu, graph) == GGML_STATUS_SUCCESS;
	ggml_backend_tensor_get(result, to, 0, ggml_nbytes(result));
	ggml_backend_free(cpu);
	ggml_backend_buffer_free(memory);
	return done;
}

bool proctor_multiply(proctor_product p, ggml_threadpool *pool, int threads, int times, float *to) {
	ggml_backend_buffer_type_t type = buffer_type(p.buffer);
	if (type == nullptr) {
		return false;
	}
	tensors packed, plain;
	ggml_tensor *weights = ggml_new_tensor_3d(packed.context, p.type, p.k, p.rows, p.matrices);
	const int64_t parts = p.ids != nullptr ? p.columns : p.matrices > 1 ? 2 * p.matrices : 1;
	ggml_tensor *activations = ggml_new_tensor_3d(plain.context, GGML_TYPE_F32, p.k, p.columns / parts, parts);
	ggml_tensor *ids = p.ids != nullptr ? ggml_new_tensor_2d(plain.context, GGML_TYPE_I32, p.used, p.columns) : nullptr;
	ggml_tensor *result = ids != nullptr ? ggml_mul_mat_id(plain.context, weights, activations, ids)
										 : ggml_mul_mat(plain.context, weights, activations);
	ggml_backend_buffer_t held = ggml_backend_alloc_ctx_tensors_from_buft(packed.context, type);
	bool taken = p.anyway || ggml_backend_dev_supports_op(ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU), result);
	taken = taken &&
		compute(plain, {{weights, p.weights}, {activations, p.activations}, {ids, p.ids}}, result, pool, threads, times, to);
	ggml_backend_buffer_free(held);
	return taken;
}

// The tensors of an attention.
struct attention {
	tensors all;
	ggml_context *context = all.context;
	ggml_tensor *query, *key, *value, *mask, *sinks, *result;

	explicit attention(const proctor_attention &a) {
		ggml_context *c = context;
		query = ggml_new_tensor_4d(c, GGML_TYPE_F32, a.width, a.tokens, a.heads, a.streams);
		key = cache_of(a, a.width, "cache_k_l0");
		value = cache_of(a, a.height, "cache_v_l0");
		mask = a.mask == nullptr ? nullptr : ggml_new_tensor_4d(c, GGML_TYPE_F16, a.cells, a.tokens, 1, a.streams);
		sinks = a.sinks == nullptr ? nullptr : ggml_new_tensor_1d(c, GGML_TYPE_F32, a.heads);
		result = ggml_flash_attn_ext(c, query, attended(a, key), attended(a, value), mask, a.scale, a.bias, a.cap);
		if (sinks != nullptr) {
			ggml_flash_attn_ext_add_sinks(result, sinks);
		}
	}

	ggml_tensor *cache_of(const proctor_attention &a, int64_t width, const char *name) {
		ggml_tensor *cache = ggml_new_tensor_4d(context, a.type, width, a.shared, a.cells, a.copied ? a.streams : a.cached);
		return ggml_set_name(cache, name);
	}

	// The streams of a cache that are attended, as llama.cpp has them, or as its scheduler copies them from one device to another.
	ggml_tensor *attended(const proctor_attention &a, ggml_tensor *cache) {
		const size_t *nb = cache->nb;
		const size_t offset = a.copied ? 0 : a.first * nb[3];
		ggml_tensor *view = ggml_view_4d(context, cache, cache->ne[0], a.shared, a.cells, a.streams, nb[1], nb[2], nb[3], offset);
		view = ggml_permute(context, view, 0, 2, 1, 3);
		if (a.copied) {
			cache->ne[1] = view->ne[1], cache->ne[2] = view->ne[2];
			std::swap(cache->nb[1], cache->nb[2]);
			return cache;
		}
		return view;
	}
};

bool proctor_attend(proctor_attention a, ggml_threadpool *pool, int threads, int times, float *to) {
	attention t(a);
	return compute(t.all, {{t.query, a.query}, {t.key, a.key}, {t.value, a.value}, {t.mask, a.mask}, {t.sinks, a.sinks}},
		t.result, pool, threads, times, to);
}

bool proctor_normalise(
	const float *from, int64_t width, int64_t rows, float epsilon, ggml_threadpool *pool, int threads, int times, float *to) {
	tensors all;
	ggml_tensor *x = ggml_new_tensor_2d(all.context, GGML_TYPE_F32, width, rows);
	ggml_tensor *result = ggml_rms_norm(all.context, x, epsilon);
	return compute(all, {{x, from}}, result, pool, threads, times, to);
}

bool proctor_turn(proctor_positions p, ggml_threadpool *pool, int threads, int times, float *to) {
	tensors all;
	ggml_context *c = all.context;
	ggml_tensor *x = ggml_new_tensor_3d(c, GGML_TYPE_F32, p.width, p.heads, p.tokens);
	const bool several = p.mode & GGML_ROPE_TYPE_MROPE;
	ggml_tensor *positions = ggml_new_tensor_1d(c, GGML_TYPE_I32, several ? 4 * p.tokens : p.tokens);
	ggml_tensor *factors = p.factors == nullptr ? nullptr : ggml_new_tensor_1d(c, GGML_TYPE_F32, p.turned / 2);
	ggml_tensor *result = several
		? ggml_rope_multi(
			  c, x, positions, factors, p.turned, p.sections, p.mode, 4096, 10000, p.scale, p.extrapolation, 1.25f, 32, 1)
		: ggml_rope_ext(c, x, positions, factors, p.turned, p.mode, 4096, 10000, p.scale, p.extrapolation, 1.25f, 32, 1);
	return compute(all, {{x, p.from}, {positions, p.positions}, {factors, p.factors}}, result, pool, threads, times, to);
}

bool proctor_compute_by_row(proctor_by_row r, ggml_threadpool *pool, int threads, int times, float *to) {
	tensors all;
	ggml_tensor *x = ggml_new_tensor_2d(all.context, GGML_TYPE_F32, r.width, r.rows);
	ggml_tensor *gates = r.gates == nullptr ? nullptr : ggml_new_tensor_2d(all.context, GGML_TYPE_F32, r.width, r.rows);
	ggml_tensor *result = proctor_by_row_build(r.name, all.context, x, gates);
	return compute(all, {{x, r.from}, {gates, r.gates}}, result, pool, threads, times, to);
}

bool proctor_compute_scan(proctor_scan s, ggml_threadpool *pool, int threads, int times, float *to) {
	tensors all;
	ggml_context *c = all.context;
	auto floats = [c](int64_t a, int64_t b, int64_t d, int64_t e) { return ggml_new_tensor_4d(c, GGML_TYPE_F32, a, b, d, e); };
	ggml_tensor *states = floats(s.width, s.rows, s.heads, s.sequences), *values = floats(s.rows, s.heads, s.tokens, s.sequences);
	ggml_tensor *steps = floats(s.heads, s.tokens, s.sequences, 1), *decays = floats(s.one_decay ? 1 : s.width, s.heads, 1, 1);
	ggml_tensor *inputs = floats(s.width, s.groups, s.tokens, s.sequences),
				*asked = floats(s.width, s.groups, s.tokens, s.sequences);
	ggml_tensor *places = ggml_new_tensor_1d(c, GGML_TYPE_I32, s.sequences);
	std::vector<int32_t> each(s.sequences);
	std::iota(each.begin(), each.end(), 0);
	ggml_tensor *result = ggml_ssm_scan(c, states, values, steps, decays, inputs, asked, places);
	return compute(all,
		{{states, s.states}, {values, s.values}, {steps, s.steps}, {decays, s.decays}, {inputs, s.inputs}, {asked, s.asked},
			{places, each.data()}},
		result, pool, threads, times, to);
}

bool proctor_convolve(proctor_convolution v, ggml_threadpool *pool, int threads, int times, float *to) {
	tensors all;
	ggml_context *c = all.context;
	ggml_tensor *x = ggml_new_tensor_3d(c, GGML_TYPE_F32, v.tokens + v.weights_each - 1, v.channels, v.sequences);
	ggml_tensor *weights = ggml_new_tensor_2d(c, GGML_TYPE_F32, v.weights_each, v.channels);
	ggml_tensor *result = ggml_ssm_conv(c, x, weights);
	return compute(all, {{x, v.from}, {weights, v.weights}}, result, pool, threads, times, to);
}

bool proctor_set_cache_rows(proctor_cache_rows r, ggml_threadpool *pool, int threads, int times, float *to) {
	tensors all;
	ggml_tensor *cache = ggml_new_tensor_2d(all.context, r.type, r.width, r.cells);
	ggml_set_name(cache, r.name);
	ggml_tensor *rows = ggml_new_tensor_2d(all.context, GGML_TYPE_F32, r.width, r.rows);
	ggml_tensor *places = ggml_new_tensor_1d(all.context, GGML_TYPE_I64, r.rows);
	ggml_tensor *result = ggml_set_rows(all.context, cache, rows, places);
	const std::vector<char> nothing(ggml_nbytes(cache));
	std::vector<float> stored(ggml_nelements(cache)); // more than it takes
	const bool done =
		compute(all, {{cache, nothing.data()}, {rows, r.from}, {places, r.places}}, result, pool, threads, times, stored.data());
	proctor_restore(r.type, stored.data(), to, ggml_nelements(cache));
	return done;
}

size_t proctor_attention_work_size(proctor_attention a, int threads) {
	attention t(a);
	ggml_cgraph *graph = ggml_new_graph(t.context);
	ggml_build_forward_expand(graph, t.result);
	return ggml_graph_plan(graph, threads, nullptr).work_size;
}
