#include "engine.h"

#include <atomic>
#include <climits>
#include <cmath>
#include <exception>
#include <stdexcept>
#include <vector>

extern "C" {
// Written in Go.
void proctorLog(int level, char *text, void *unused);
bool proctorProgress(float done, uintptr_t handle);
}

struct proctor_engine {
	llama_context *context = nullptr;
	ggml_threadpool *threads = nullptr;
	llama_batch batch = {};
	int32_t vocabulary = 0;
	std::atomic<bool> cancelled{false};
};

static void warn(const char *what) {
	proctorLog(GGML_LOG_LEVEL_ERROR, const_cast<char *>(what), nullptr);
}

void proctor_log_install(void) {
	llama_log_set([](enum ggml_log_level level, const char *text, void *) {
		proctorLog(level, const_cast<char *>(text), nullptr);
	}, nullptr);
}

static llama_model *load(const char *path, llama_model_params params) {
	try {
		return llama_model_load_from_file(path, params);
	} catch (const std::exception &e) {
		warn(e.what());
		return nullptr;
	}
}

llama_model *proctor_model_load(const char *path, int32_t gpu_layers, uintptr_t progress) {
	llama_model_params params = llama_model_default_params();
	params.n_gpu_layers = gpu_layers;
	params.progress_callback = [](float done, void *handle) { return proctorProgress(done, (uintptr_t) handle); };
	params.progress_callback_user_data = (void *) progress;
	return load(path, params);
}

llama_model *proctor_vocabulary_load(const char *path) {
	llama_model_params params = llama_model_default_params();
	params.vocab_only = true;
	return load(path, params);
}

proctor_engine *proctor_engine_new(llama_model *model, proctor_settings settings) {
	proctor_engine *engine = new proctor_engine;
	llama_context_params params = llama_context_default_params();
	params.n_ctx = settings.context * settings.sequences;
	params.n_seq_max = settings.sequences;
	params.n_batch = settings.batch;
	params.n_ubatch = settings.ubatch;
	params.n_threads = settings.threads;
	params.n_threads_batch = settings.threads;
	params.type_k = settings.kv_type;
	params.type_v = settings.value_type;
	params.flash_attn_type = settings.flash_attention ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
	params.kv_unified = settings.unified;
	params.swa_full = !settings.windowed;
	params.abort_callback = [](void *e) { return ((proctor_engine *) e)->cancelled.load(std::memory_order_relaxed); };
	params.abort_callback_data = engine;
	try {
		engine->context = llama_init_from_model(model, params);
	} catch (const std::exception &e) {
		warn(e.what());
	}
	if (engine->context == nullptr) {
		delete engine;
		return nullptr;
	}
	ggml_threadpool_params pool = ggml_threadpool_params_default(settings.threads);
	engine->threads = ggml_threadpool_new(&pool);
	if (engine->threads != nullptr) {
		llama_attach_threadpool(engine->context, engine->threads, engine->threads);
	}
	engine->batch = llama_batch_init((int32_t) settings.batch, 0, 1);
	engine->vocabulary = llama_vocab_n_tokens(llama_model_get_vocab(model));
	return engine;
}

void proctor_engine_free(proctor_engine *engine) {
	llama_detach_threadpool(engine->context);
	llama_free(engine->context);
	if (engine->threads != nullptr) {
		ggml_threadpool_free(engine->threads);
	}
	llama_batch_free(engine->batch);
	delete engine;
}

void proctor_engine_threads(proctor_engine *engine, int32_t n) {
	llama_set_n_threads(engine->context, n, n);
}

struct ggml_threadpool *proctor_engine_pool(const proctor_engine *engine) {
	return engine->threads;
}

uint32_t proctor_engine_context(const proctor_engine *engine) {
	return llama_n_ctx(engine->context) / llama_n_seq_max(engine->context);
}

void proctor_engine_cancel(proctor_engine *engine, bool cancel) {
	engine->cancelled.store(cancel);
}

// The place of the largest score, the first one of equals; PROCTOR_NO_TOKEN where a score is no number or none is
// finite. The lanes let the compiler use vector instructions, which it may not for a plain maximum of floats.
static int32_t likeliest(const float *scores, int32_t n) {
	constexpr int lanes = 32;
	float best[lanes];
	int32_t broken[lanes] = {};
	for (float &b : best) {
		b = -INFINITY;
	}
	int32_t i = 0;
	for (; i + lanes <= n; i += lanes) {
		for (int l = 0; l < lanes; l++) {
			float score = scores[i + l];
			best[l] = score > best[l] ? score : best[l];
			broken[l] |= score != score;
		}
	}
	for (; i < n; i++) {
		best[0] = scores[i] > best[0] ? scores[i] : best[0];
		broken[0] |= scores[i] != scores[i];
	}
	float top = best[0];
	for (int l = 0; l < lanes; l++) {
		top = best[l] > top ? best[l] : top;
		broken[0] |= broken[l];
	}
	if (broken[0] || !std::isfinite(top)) {
		return PROCTOR_NO_TOKEN;
	}
	for (i = 0; scores[i] != top; i++) {
	}
	return i;
}

int32_t proctor_engine_decode(proctor_engine *engine, int32_t n, const int32_t *token, const int32_t *pos, const int32_t *seq,
	const int8_t *draw, llama_sampler **samplers, int32_t *drawn) {
	llama_batch &batch = engine->batch;
	batch.n_tokens = n;
	for (int32_t i = 0; i < n; i++) {
		batch.token[i] = token[i];
		batch.pos[i] = pos[i];
		batch.n_seq_id[i] = 1;
		batch.seq_id[i][0] = seq[i];
		batch.logits[i] = draw[i];
	}
	try {
		int32_t result = llama_decode(engine->context, batch);
		if (result != 0) {
			return result;
		}
		for (int32_t i = 0; i < n; i++) {
			if (!draw[i]) {
				continue;
			}
			const float *scores = llama_get_logits_ith(engine->context, i);
			drawn[i] = scores == nullptr ? PROCTOR_NO_TOKEN : likeliest(scores, engine->vocabulary);
			if (drawn[i] != PROCTOR_NO_TOKEN && samplers[i] != nullptr) {
				drawn[i] = llama_sampler_sample(samplers[i], engine->context, i);
			}
		}
		llama_synchronize(engine->context); // a batch without draws may still be running
		return 0;
	} catch (const std::exception &e) {
		warn(e.what());
		return PROCTOR_THREW;
	}
}

int32_t proctor_engine_evaluate(proctor_engine *engine, int32_t n, const int32_t *token, const int32_t *pos, const int32_t *seq,
	const int8_t *scored) {
	try {
		std::vector<int32_t> one(n, 1);
		std::vector<llama_seq_id *> sequences(n);
		for (int32_t i = 0; i < n; i++) {
			sequences[i] = const_cast<int32_t *>(seq + i);
		}
		llama_batch batch = {n, const_cast<int32_t *>(token), nullptr, const_cast<int32_t *>(pos), one.data(), sequences.data(), const_cast<int8_t *>(scored)};
		int32_t result = llama_decode(engine->context, batch);
		llama_synchronize(engine->context);
		return result;
	} catch (const std::exception &e) {
		warn(e.what());
		return PROCTOR_THREW;
	}
}

void proctor_engine_clear(proctor_engine *engine) {
	llama_memory_clear(llama_get_memory(engine->context), false);
}

bool proctor_engine_trim(proctor_engine *engine, int32_t seq, int32_t from) {
	return llama_memory_seq_rm(llama_get_memory(engine->context), seq, from, -1);
}

void proctor_engine_copy(proctor_engine *engine, int32_t src, int32_t dst) {
	llama_memory_seq_cp(llama_get_memory(engine->context), src, dst, -1, -1);
}

llama_sampler *proctor_sampler_new(int32_t top_k, float top_p, float min_p, float temperature, uint32_t seed) {
	llama_sampler *chain = llama_sampler_chain_init(llama_sampler_chain_default_params());
	if (top_k > 0) {
		llama_sampler_chain_add(chain, llama_sampler_init_top_k(top_k));
	}
	if (top_p > 0 && top_p < 1) {
		llama_sampler_chain_add(chain, llama_sampler_init_top_p(top_p, 1));
	}
	if (min_p > 0) {
		llama_sampler_chain_add(chain, llama_sampler_init_min_p(min_p, 1));
	}
	llama_sampler_chain_add(chain, llama_sampler_init_temp(temperature));
	llama_sampler_chain_add(chain, llama_sampler_init_dist(seed));
	return chain;
}

uint32_t proctor_quantize(const char *from, const char *to, enum llama_ftype type, int32_t threads) {
	llama_model_quantize_params params = llama_model_quantize_default_params();
	params.ftype = type;
	params.nthread = threads;
	params.allow_requantize = true;
	try {
		return llama_model_quantize(from, to, &params);
	} catch (const std::exception &e) {
		warn(e.what());
		return 1;
	}
}

int32_t proctor_tokenize(const llama_vocab *vocab, const char *text, int32_t length, int32_t *tokens, int32_t room) {
	try {
		return llama_tokenize(vocab, text, length, tokens, room, true, true);
	} catch (const std::exception &e) {
		warn(e.what());
		return INT32_MIN;
	}
}
