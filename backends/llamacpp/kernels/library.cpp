#include "library.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>

#include "traits.h"

namespace kernels {

void compute_params::wait() const { ggml->barrier(threadpool); }
void compute_params::set_chunk(int next) const { ggml->threadpool_chunk_set(threadpool, next); }
int compute_params::next_chunk() const { return ggml->threadpool_chunk_add(threadpool, 1); }

namespace {

constexpr size_t most_nodes = 8; // of a graph
constexpr char extra_buffer_types_symbol[] = "_Z39ggml_backend_cpu_get_extra_buffer_typesv";

[[noreturn]] void refuse(const std::string &what) { throw std::runtime_error(what); }

// Where tensors without data are made.
struct tensors {
	const ggml_library &ggml;
	ggml_context *context;
	explicit tensors(const ggml_library &ggml, size_t most = 64)
		: ggml(ggml),
		  context(ggml.init({most * ggml.tensor_overhead() + ggml.graph_overhead_custom(most_nodes, false), nullptr, true})) {}
	tensors(const tensors &) = delete;
	tensors &operator=(const tensors &) = delete;
	~tensors() { ggml.free(context); }
	ggml_tensor *made(ggml_type type, int64_t a, int64_t b = 1, int64_t c = 1, int64_t d = 1) const {
		const int64_t sizes[] = {a, b, c, d};
		return ggml.new_tensor(context, type, 4, sizes);
	}
};

} // namespace

void *builtin_symbol(const char *name) {
	static const struct {
		const char *name;
		void *address;
	} all[] = {
#define ADDRESS(name) {"ggml_" #name, (void *) ggml_##name},
		PROCTOR_GGML_FUNCTIONS(ADDRESS)
#undef ADDRESS
			{"ggml_threadpool_params_default", (void *) ggml_threadpool_params_default},
		{"ggml_graph_plan", (void *) ggml_graph_plan},
		{"ggml_backend_buffer_init", (void *) ggml_backend_buffer_init},
		{extra_buffer_types_symbol, (void *) ggml_backend_cpu_get_extra_buffer_types},
	};
	const auto *found = std::find_if(std::begin(all), std::end(all), [name](auto &one) { return strcmp(one.name, name) == 0; });
	return found == std::end(all) ? nullptr : found->address;
}

void ggml_library::bind(const symbols &find) {
	auto set = [&](auto &function, const char *name) {
		function = (std::remove_reference_t<decltype(function)>) find(name);
		if (function == nullptr) {
			refuse("it has no " + std::string(name));
		}
	};
#define FIND(name) set(name, "ggml_" #name);
	PROCTOR_GGML_FUNCTIONS(FIND)
#undef FIND
	set(threadpool_params_default, "ggml_threadpool_params_default");
	set(graph_plan, "ggml_graph_plan");
	set(backend_buffer_init, "ggml_backend_buffer_init");
	set(extra_buffer_types, extra_buffer_types_symbol);
	builtin = init == ggml_init;
}

ggml_library ggml_library::here() {
	ggml_library ggml;
	ggml.bind(builtin_symbol);
	return ggml;
}

ggml_library::ggml_library(const symbols &find) {
	bind(find);
	check_tensors();
	find_operations();
	find_in_type();
	find_in_buffer();
	check_computation();
}

// Fields are where they are here, if tensors that are made with the same sizes have the same values there.
void ggml_library::check_tensors() const {
	if (tensor_overhead() != ggml_tensor_overhead()) {
		refuse("its tensors take " + std::to_string(tensor_overhead()) + " bytes, not " + std::to_string(ggml_tensor_overhead()));
	}
	for (int type = 0; type < GGML_TYPE_COUNT; type++) {
		const char *is = type_name((ggml_type) type), *ours = ggml_type_name((ggml_type) type);
		if (ours != nullptr && (is == nullptr || strcmp(is, ours) != 0)) {
			refuse("its type " + std::to_string(type) + " is not " + ours);
		}
	}
	const tensors all(*this);
	ggml_tensor *whole = all.made(GGML_TYPE_Q8_0, 64, 5, 3, 7), *view = view_1d(all.context, whole, 32, 68);
	set_name(whole, "a name");
	const int64_t sizes[] = {64, 5, 3, 7};
	const size_t strides[] = {34, 68, 340, 1020};
	if (whole->type != GGML_TYPE_Q8_0 || memcmp(whole->ne, sizes, sizeof sizes) != 0 ||
		memcmp(whole->nb, strides, sizeof strides) != 0 || strcmp(whole->name, "a name") != 0 || whole->op != GGML_OP_NONE ||
		strcmp(op_name(GGML_OP_NONE), "NONE") != 0 || whole->data != nullptr || whole->buffer != nullptr) {
		refuse("its tensors have other fields");
	}
	if (view->view_src != whole || view->view_offs != 68 || view->src[0] != whole) {
		refuse("its views have other fields");
	}
}

namespace {

// Makes an operation of each kind that the kernels have for any ggml.
const struct {
	const char *name;
	ggml_tensor *(*make)(const ggml_library &, const tensors &);
} kinds[] = {
	{"MUL_MAT",
		[](auto &l, auto &t) { return l.mul_mat(t.context, t.made(GGML_TYPE_F32, 64, 5), t.made(GGML_TYPE_F32, 64, 3)); }},
	{"MUL_MAT_ID",
		[](auto &l, auto &t) {
			return l.mul_mat_id(
				t.context, t.made(GGML_TYPE_F32, 64, 5, 7), t.made(GGML_TYPE_F32, 64, 2, 3), t.made(GGML_TYPE_I32, 2, 3));
		}},
	{"FLASH_ATTN_EXT",
		[](auto &l, auto &t) {
			return l.flash_attn_ext(t.context, t.made(GGML_TYPE_F32, 64, 3, 4), t.made(GGML_TYPE_F16, 64, 256, 2),
				t.made(GGML_TYPE_F16, 64, 256, 2), t.made(GGML_TYPE_F16, 256, 64), 0.125f, 8, 30);
		}},
	{"SET_ROWS",
		[](auto &l, auto &t) {
			return l.set_rows(t.context, t.made(GGML_TYPE_Q8_0, 64, 5), t.made(GGML_TYPE_F32, 64, 3), t.made(GGML_TYPE_I64, 3));
		}},
	{"ROPE",
		[](auto &l, auto &t) {
			return l.rope_ext(t.context, t.made(GGML_TYPE_F32, 64, 3, 4), t.made(GGML_TYPE_I32, 4), t.made(GGML_TYPE_F32, 24), 48,
				GGML_ROPE_TYPE_NEOX, 4096, 10000, 0.25f, 1, 1.25f, 32, 2);
		}},
	{"ROPE",
		[](auto &l, auto &t) {
			int sections[] = {3, 5, 7, 9};
			return l.rope_multi(t.context, t.made(GGML_TYPE_F32, 64, 3, 4), t.made(GGML_TYPE_I32, 16), nullptr, 48, sections,
				GGML_ROPE_TYPE_IMROPE, 4096, 10000, 0.25f, 1, 1.25f, 32, 2);
		}},
	{"RMS_NORM", [](auto &l, auto &t) { return l.rms_norm(t.context, t.made(GGML_TYPE_F32, 64, 3), 1e-5f); }},
	{"NORM", [](auto &l, auto &t) { return l.norm(t.context, t.made(GGML_TYPE_F32, 64, 3), 1e-5f); }},
	{"SOFT_MAX", [](auto &l, auto &t) { return l.soft_max_ext(t.context, t.made(GGML_TYPE_F32, 64, 3), nullptr, 0.25f, 0); }},
	{"SWIGLU",
		[](auto &l, auto &t) { return l.swiglu_split(t.context, t.made(GGML_TYPE_F32, 64, 3), t.made(GGML_TYPE_F32, 64, 3)); }},
	{"SWIGLU_OAI",
		[](auto &l, auto &t) {
			return l.swiglu_oai(t.context, t.made(GGML_TYPE_F32, 64, 3), t.made(GGML_TYPE_F32, 64, 3), 1.5f, 7);
		}},
	{"SILU", [](auto &l, auto &t) { return l.silu(t.context, t.made(GGML_TYPE_F32, 64, 3)); }},
	{"SIGMOID", [](auto &l, auto &t) { return l.sigmoid(t.context, t.made(GGML_TYPE_F32, 64, 3)); }},
	{"TANH", [](auto &l, auto &t) { return l.tanh(t.context, t.made(GGML_TYPE_F32, 64, 3)); }},
	{"EXP", [](auto &l, auto &t) { return l.exp(t.context, t.made(GGML_TYPE_F32, 64, 3)); }},
	{"SOFTPLUS", [](auto &l, auto &t) { return l.softplus(t.context, t.made(GGML_TYPE_F32, 64, 3)); }},
};

// Says whether two tensors are the same operation, but for the numbers.
bool alike(const ggml_tensor *a, const ggml_tensor *b, int numbers) {
	bool same = a->type == b->type && memcmp(a->ne, b->ne, sizeof a->ne) == 0 && memcmp(a->nb, b->nb, sizeof a->nb) == 0 &&
		memcmp(a->op_params + numbers, b->op_params + numbers, sizeof a->op_params - numbers * sizeof *a->op_params) == 0;
	for (int i = 0; i < GGML_MAX_SRC && same; i++) {
		same = (a->src[i] == nullptr) == (b->src[i] == nullptr) &&
			(a->src[i] == nullptr || memcmp(a->src[i]->ne, b->src[i]->ne, sizeof a->ne) == 0);
	}
	return same;
}

} // namespace

// An operation with other parameters than here is left to the library.
void ggml_library::find_operations() {
	const tensors theirs(*this);
	const ggml_library here = ggml_library::here();
	const tensors ours(here);
	std::map<int, bool> differs;
	for (const auto &kind : kinds) {
		const ggml_tensor *is = kind.make(*this, theirs), *would = kind.make(here, ours);
		const bool unary = would->op == GGML_OP_UNARY, gated = would->op == GGML_OP_GLU;
		const char *name = unary ? unary_op_name((ggml_unary_op) is->op_params[0])
			: gated              ? glu_op_name((ggml_glu_op) is->op_params[0])
								 : op_name(is->op);
		const bool same = strcmp(name, kind.name) == 0 && alike(is, would, unary || gated ? 1 : 0);
		if (unary || gated) {
			if (same) {
				operations[is->op] = would->op;
				(unary ? unary_operations : gated_operations)[is->op_params[0]] = would->op_params[0];
			}
			continue;
		}
		differs[is->op] |= !same;
		operations[is->op] = would->op;
	}
	for (auto [op, does] : differs) {
		if (does) {
			operations.erase(op);
		}
	}
}

ggml_library::seen::seen(const ggml_library &by, const ggml_tensor *op) : op(op) {
	if (by.builtin) {
		return;
	}
	this->op = nullptr;
	auto found = by.operations.find(op->op);
	if (found == by.operations.end() || op->type >= GGML_TYPE_COUNT) {
		return;
	}
	for (const ggml_tensor *source : op->src) {
		if (source != nullptr && source->type >= GGML_TYPE_COUNT) {
			return;
		}
	}
	memcpy(&copy, op, sizeof copy);
	if (found->second == GGML_OP_UNARY || found->second == GGML_OP_GLU) {
		const auto &numbers = found->second == GGML_OP_UNARY ? by.unary_operations : by.gated_operations;
		auto number = numbers.find(op->op_params[0]);
		if (number == numbers.end()) {
			return;
		}
		copy.op_params[0] = number->second;
	}
	copy.op = found->second;
	this->op = &copy;
}

namespace {

// Functions that remember their place in a table.
int called = -1;
alignas(64) char somewhere[1024]; // enough for what they are asked for
template <int i> void *remember() {
	called = i;
	return somewhere;
}
template <int... i> opaque table(std::integer_sequence<int, i...>) { return {{(uint64_t) (uintptr_t) remember<i>...}}; }
constexpr int most_functions = 32;
opaque remembering() { return table(std::make_integer_sequence<int, most_functions>()); }

// Returns the place of the function that a call comes to.
template <class call> int place(call make) {
	called = -1;
	make();
	return called;
}

// Returns the word that has a value; -1 where not exactly one of the first ones has.
int word_of(const uint64_t *words, int count, const void *value) {
	int found = -1;
	for (int i = 0; i < count; i++) {
		if (words[i] == (uint64_t) (uintptr_t) value) {
			found = found < 0 ? i : count;
		}
	}
	return found == count ? -1 : found;
}

} // namespace

void ggml_library::find_in_type() {
	opaque type = remembering();
	auto fake = (ggml_backend_buffer_type_t) &type;
	in_type.device = word_of(type.words, most_functions, backend_buft_get_device(fake));
	in_type.context = in_type.device + 1;
	if (in_type.device < 0) {
		refuse("its buffer types have a device elsewhere");
	}
	std::fill(type.words + in_type.device, std::end(type.words), 0);
	const tensors all(*this);
	const ggml_tensor *tensor = all.made(GGML_TYPE_F32, 16);
	in_type.get_name = place([&] { backend_buft_name(fake); });
	in_type.alloc_buffer = place([&] { backend_buft_alloc_buffer(fake, 64); });
	in_type.get_alignment = place([&] { backend_buft_get_alignment(fake); });
	in_type.get_alloc_size = place([&] { backend_buft_get_alloc_size(fake, tensor); });
	const int is_host = place([&] { backend_buft_is_host(fake); });
	std::vector<int> functions = {in_type.get_name, in_type.alloc_buffer, in_type.get_alignment, in_type.get_alloc_size, is_host};
	std::sort(functions.begin(), functions.end());
	if (functions.front() < 0 || std::adjacent_find(functions.begin(), functions.end()) != functions.end()) {
		refuse("its buffer types have other functions");
	}
	// Ours has no others: they are optional where the type for CPUs has none of them either.
	const auto *words = (const uint64_t *) backend_cpu_buffer_type();
	for (int i = 0; i < in_type.device; i++) {
		if (words[i] != 0 && !std::binary_search(functions.begin(), functions.end(), i)) {
			refuse("its buffer types have a function that is not known, at " + std::to_string(i));
		}
	}
}

void ggml_library::find_in_buffer() {
	opaque type = remembering();
	char context = 0;
	ggml_backend_buffer_t buffer = backend_buffer_init((ggml_backend_buffer_type_t) &type, remembering(), &context, 64);
	const tensors all(*this);
	ggml_tensor *tensor = all.made(GGML_TYPE_F32, 16), *other = all.made(GGML_TYPE_F32, 16);
	for (ggml_tensor *t : {tensor, other}) {
		t->buffer = buffer;
		t->data = somewhere;
	}
	float values[16] = {};
	in_buffer.set_tensor = place([&] { backend_tensor_set(tensor, values, 0, sizeof values); });
	in_buffer.get_tensor = place([&] { backend_tensor_get(tensor, values, 0, sizeof values); });
	in_buffer.copy_tensor = place([&] { backend_buffer_copy_tensor(tensor, other); });
	in_buffer.clear = place([&] { backend_buffer_clear(buffer, 0); });
	in_buffer.type = word_of((const uint64_t *) buffer, 12, &type);
	if (in_buffer.type < 0) { // with more functions
		in_buffer.type = word_of((const uint64_t *) buffer, 14, &type);
	}
	const auto [first, last] = std::minmax({in_buffer.set_tensor, in_buffer.get_tensor, in_buffer.copy_tensor, in_buffer.clear});
	if (first < 0 || in_buffer.type <= last || backend_buffer_get_type(buffer) != (ggml_backend_buffer_type_t) &type) {
		refuse("its buffers have other functions");
	}
	backend_buffer_free(buffer);
}

namespace {

// Takes the one operation of a graph and looks what its threads are told.
struct witness : ggml::cpu::extra_buffer_type, ggml::cpu::tensor_traits {
	static constexpr size_t size = 12345;
	const ggml_library &ggml;
	const ggml_threadpool *pool = nullptr;
	void *memory = nullptr;
	std::atomic<int> right{0}, sum{0};

	explicit witness(const ggml_library &ggml) : ggml(ggml) {}
	bool supports_op(ggml_backend_dev_t, const ggml_tensor *) override { return false; }
	tensor_traits *get_tensor_traits(const ggml_tensor *) override { return this; }
	bool work_size(int, const ggml_tensor *, size_t &bytes) override {
		bytes = size;
		return true;
	}
	bool compute_forward(ggml_compute_params *p, ggml_tensor *) override {
		if ((p->ith != 0 && p->ith != 1) || p->nth != 2 || p->wsize < size || p->wdata != memory || p->threadpool != pool) {
			return true;
		}
		if (p->ith == 0) {
			ggml.threadpool_chunk_set(p->threadpool, 7);
		}
		ggml.barrier(p->threadpool);
		sum += ggml.threadpool_chunk_add(p->threadpool, 3); // 7 and 10
		ggml.barrier(p->threadpool);
		right++;
		return true;
	}
};

} // namespace

// A buffer type's operations are asked for an operation, and all threads are told what they are here.
void ggml_library::check_computation() {
	witness sees(*this);
	opaque type = remembering();
	type.words[in_type.context] = (uint64_t) (uintptr_t) static_cast<ggml::cpu::extra_buffer_type *>(&sees);
	opaque params = threadpool_params_default(2);
	ggml_threadpool *pool = threadpool_new((ggml_threadpool_params *) &params);
	const tensors all(*this);
	ggml_cgraph *graph = new_graph_custom(all.context, most_nodes, false);
	ggml_tensor *product = mul_mat(all.context, all.made(GGML_TYPE_F32, 32, 4), all.made(GGML_TYPE_F32, 32, 4));
	for (ggml_tensor *t : {product, product->src[0], product->src[1]}) {
		t->data = somewhere;
	}
	build_forward_expand(graph, product);
	auto &types = extra_buffer_types();
	types.insert(types.begin(), (ggml_backend_buffer_type_t) &type);
	opaque plan = graph_plan(graph, 2, pool);
	auto *is = (ggml_cplan *) &plan;
	bool planned = is->work_size >= witness::size && is->work_data == nullptr && is->n_threads == 2 && is->threadpool == pool;
	if (planned) {
		std::vector<uint8_t> memory(is->work_size);
		sees.pool = pool;
		sees.memory = is->work_data = memory.data();
		planned = graph_compute(graph, is) == GGML_STATUS_SUCCESS;
	}
	types.erase(types.begin());
	threadpool_free(pool);
	if (!planned || sees.right != 2 || sees.sum != 17) {
		refuse("its threads are told otherwise what to compute");
	}
}

bool ggml_library::takes(const char *operation) const {
	return std::any_of(
		operations.begin(), operations.end(), [&](const auto &one) { return strcmp(ggml_op_name(one.second), operation) == 0; });
}

static thread_local bool asking = false;

bool ggml_library::asks() { return asking; }

size_t ggml_library::work_size(int threads, const ggml_tensor *op) const {
	const tensors none(*this, 0);
	ggml_cgraph *graph = new_graph_custom(none.context, most_nodes, false);
	graph_add_node(graph, const_cast<ggml_tensor *>(op));
	asking = true;
	const opaque plan = graph_plan(graph, threads, nullptr);
	asking = false;
	size_t size;
	memcpy(&size, (const char *) &plan + offsetof(ggml_cplan, work_size), sizeof size);
	return size;
}

} // namespace kernels
