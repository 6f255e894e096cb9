#include "engine.h"

#include "backends.h"
#include "quantize.h"

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

static void warn(const char *what) {
	proctorLog(GGML_LOG_LEVEL_ERROR, const_cast<char *>(what), nullptr);
}

void proctor_log_install(void) {
	llama_log_set([](enum ggml_log_level level, const char *text, void *) {
		proctorLog(level, const_cast<char *>(text), nullptr);
		proctor_quantize_logged(text);
	}, nullptr);
}

llama_model *proctor_model_load(const char *path, llama_model_params params, const ggml_backend_dev_t *devices, int32_t n,
	const float *split, uintptr_t progress) {
	std::vector<ggml_backend_dev_t> list(devices, devices + n);
	list.push_back(nullptr); // without a list, llama.cpp takes what it finds
	params.devices = list.data();
	params.tensor_split = n > 0 ? split : nullptr;
	if (progress != 0) {
		params.progress_callback = [](float done, void *handle) { return proctorProgress(done, (uintptr_t) handle); };
		params.progress_callback_user_data = (void *) progress;
	}
	try {
		return llama_model_load_from_file(path, params);
	} catch (const std::exception &e) {
		warn(e.what());
		return nullptr;
	}
}

int64_t proctor_operations = 0;

// ggml asks after each operation on the CPU whether to go on.
static bool aborts(void *engine) {
	__atomic_fetch_add(&proctor_operations, 1, __ATOMIC_RELAXED);
	return __atomic_load_n(&((proctor_engine *) engine)->cancelled, __ATOMIC_RELAXED) != 0;
}

proctor_engine *proctor_engine_new(llama_model *model, llama_context_params params) {
	proctor_engine *engine = new proctor_engine{};
	params.abort_callback = aborts;
	params.abort_callback_data = engine;
	try {
		proctor_backends_kept kept; // a context that fails half-way is freed, too
		engine->context = llama_init_from_model(model, params);
	} catch (const std::exception &e) {
		warn(e.what());
	}
	if (engine->context == nullptr) {
		delete engine;
		return nullptr;
	}
	ggml_threadpool_params pool = ggml_threadpool_params_default(params.n_threads);
	engine->threads = ggml_threadpool_new(&pool);
	if (engine->threads != nullptr) {
		llama_attach_threadpool(engine->context, engine->threads, engine->threads);
	}
	engine->batch = llama_batch_init((int32_t) params.n_batch, 0, 1);
	engine->vocabulary = llama_vocab_n_tokens(llama_model_get_vocab(model));
	return engine;
}

void proctor_engine_free(proctor_engine *engine) {
	llama_detach_threadpool(engine->context);
	{
		proctor_backends_kept kept;
		llama_free(engine->context);
	}
	if (engine->threads != nullptr) {
		ggml_threadpool_free(engine->threads);
	}
	llama_batch_free(engine->batch);
	delete engine;
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

int32_t proctor_engine_decode(proctor_engine *engine, int32_t n, const proctor_token *tokens, int32_t *drawn) {
	llama_batch &batch = engine->batch;
	batch.n_tokens = n;
	for (int32_t i = 0; i < n; i++) {
		batch.token[i] = tokens[i].token;
		batch.pos[i] = tokens[i].position;
		batch.n_seq_id[i] = 1;
		batch.seq_id[i][0] = tokens[i].sequence;
		batch.logits[i] = tokens[i].draw;
	}
	try {
		int32_t result = llama_decode(engine->context, batch);
		for (int32_t i = 0; i < n && result == 0 && drawn != nullptr; i++) {
			if (!tokens[i].draw) {
				continue;
			}
			const float *scores = llama_get_logits_ith(engine->context, i);
			drawn[i] = scores == nullptr ? PROCTOR_NO_TOKEN : likeliest(scores, engine->vocabulary);
			if (drawn[i] != PROCTOR_NO_TOKEN && tokens[i].sampler != nullptr) {
				drawn[i] = llama_sampler_sample(tokens[i].sampler, engine->context, i);
			}
		}
		llama_synchronize(engine->context); // a batch without draws may still be running
		return result;
	} catch (const std::exception &e) {
		warn(e.what());
		return PROCTOR_THREW;
	}
}

llama_sampler *proctor_sampler_new(proctor_sampling s) {
	llama_sampler *chain = llama_sampler_chain_init(llama_sampler_chain_default_params());
	if (s.penalty_window > 0) {
		llama_sampler_chain_add(
			chain, llama_sampler_init_penalties(s.penalty_window, s.repeat_penalty, s.frequency_penalty, s.presence_penalty));
	}
	if (s.temperature <= 0) {
		llama_sampler_chain_add(chain, llama_sampler_init_greedy());
		return chain;
	}
	if (s.top_k > 0) {
		llama_sampler_chain_add(chain, llama_sampler_init_top_k(s.top_k));
	}
	if (s.top_p > 0 && s.top_p < 1) {
		llama_sampler_chain_add(chain, llama_sampler_init_top_p(s.top_p, 1));
	}
	if (s.min_p > 0) {
		llama_sampler_chain_add(chain, llama_sampler_init_min_p(s.min_p, 1));
	}
	llama_sampler_chain_add(chain, llama_sampler_init_temp(s.temperature));
	llama_sampler_chain_add(chain, llama_sampler_init_dist(s.seed));
	return chain;
}

int32_t proctor_tokenize(const llama_vocab *vocab, const char *text, int32_t length, int32_t *tokens, int32_t room) {
	try {
		return llama_tokenize(vocab, text, length, tokens, room, true, true);
	} catch (const std::exception &e) {
		warn(e.what());
		return INT32_MIN;
	}
}
