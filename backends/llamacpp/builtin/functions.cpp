#include "functions.h"

#include "abort.h"
#include "backends.h"
#include "details.h"
#include "quantize.h"

#include "ggml-backend.h"
#include "ggml-cpu.h"

#include "../src/llama-impl.h" // beside the folder of llama.h

#include <climits>
#include <cstring>
#include <exception>

// Calls f, and logs an exception that it throws: none may reach Go. failed is what is returned then.
template <typename T, typename F> static T caught(T failed, F f) {
	try {
		return f();
	} catch (const std::exception &e) {
		LLAMA_LOG_ERROR("%s\n", e.what());
		return failed;
	}
}

static llama_model *model_load_from_file(const char *path, llama_model_params params) {
	return caught<llama_model *>(nullptr, [&] { return llama_model_load_from_file(path, params); });
}

static llama_context *init_from_model(llama_model *model, llama_context_params params) {
	proctor_backends_kept kept; // a context that fails half-way is freed, too
	return caught<llama_context *>(nullptr, [&] { return llama_init_from_model(model, params); });
}

static void free_context(llama_context *context) {
	proctor_backends_kept kept;
	llama_free(context);
}

// Results of llama_decode below 0 are failures.
static int32_t decode(llama_context *context, llama_batch batch) {
	return caught<int32_t>(-100, [&] { return llama_decode(context, batch); });
}

static int32_t tokenize(const llama_vocab *vocab, const char *text, int32_t length, int32_t *tokens, int32_t room, bool special,
	bool parse) {
	return caught<int32_t>(INT32_MIN, [&] { return llama_tokenize(vocab, text, length, tokens, room, special, parse); });
}

static llama_adapter_lora *adapter_lora_init(llama_model *model, const char *path) {
	return caught<llama_adapter_lora *>(nullptr, [&] { return llama_adapter_lora_init(model, path); });
}

static ggml_backend_reg_t backend_load(const char *path) {
	return caught<ggml_backend_reg_t>(nullptr, [&] { return ggml_backend_load(path); });
}

static struct {
	ggml_log_callback say;
	void *data;
} heard;

static void log_set(ggml_log_callback say, void *data) {
	heard = {say, data};
	llama_log_set([](ggml_log_level level, const char *text, void *) {
		heard.say(level, text, heard.data);
		proctor_quantize_logged(text);
	}, nullptr);
}

#define PLAIN(name) {#name, (void *) name}

static const struct {
	const char *name;
	void *address;
} functions[] = {
	{"ggml_backend_load", (void *) backend_load},
	{"ggml_set_abort_callback", (void *) proctor_abort_install},
	{"llama_adapter_lora_init", (void *) adapter_lora_init},
	{"llama_decode", (void *) decode},
	{"llama_free", (void *) free_context},
	{"llama_init_from_model", (void *) init_from_model},
	{"llama_log_set", (void *) log_set},
	{"llama_model_load_from_file", (void *) model_load_from_file},
	{"llama_tokenize", (void *) tokenize},
	PLAIN(proctor_copy_now),
	PLAIN(proctor_device),
	PLAIN(proctor_model_layer),
	PLAIN(ggml_backend_dev_by_name),
	PLAIN(ggml_backend_dev_count),
	PLAIN(ggml_backend_dev_description),
	PLAIN(ggml_backend_dev_get),
	PLAIN(ggml_backend_dev_memory),
	PLAIN(ggml_backend_dev_name),
	PLAIN(ggml_backend_dev_type),
	PLAIN(ggml_backend_reg_count),
	PLAIN(ggml_backend_reg_dev_count),
	PLAIN(ggml_backend_reg_get),
	PLAIN(ggml_backend_reg_name),
	PLAIN(ggml_threadpool_free),
	PLAIN(ggml_threadpool_new),
	PLAIN(ggml_threadpool_params_default),
	PLAIN(llama_attach_threadpool),
	PLAIN(llama_set_adapter_lora),
	PLAIN(llama_backend_init),
	PLAIN(llama_batch_free),
	PLAIN(llama_batch_init),
	PLAIN(llama_chat_apply_template),
	PLAIN(llama_chat_builtin_templates),
	PLAIN(llama_context_default_params),
	PLAIN(llama_detach_threadpool),
	PLAIN(llama_get_logits_ith),
	PLAIN(llama_get_memory),
	PLAIN(llama_memory_clear),
	PLAIN(llama_memory_seq_cp),
	PLAIN(llama_memory_seq_pos_min),
	PLAIN(llama_memory_seq_rm),
	PLAIN(llama_model_default_params),
	PLAIN(llama_model_desc),
	PLAIN(llama_model_free),
	PLAIN(llama_model_get_vocab),
	PLAIN(llama_model_has_encoder),
	PLAIN(llama_model_is_diffusion),
	PLAIN(llama_model_is_hybrid),
	PLAIN(llama_model_is_recurrent),
	PLAIN(llama_model_n_layer),
	PLAIN(llama_model_n_swa),
	PLAIN(llama_print_system_info),
	PLAIN(llama_set_n_threads),
	PLAIN(llama_state_seq_get_data_ext),
	PLAIN(llama_state_seq_get_size_ext),
	PLAIN(llama_state_seq_set_data_ext),
	PLAIN(llama_synchronize),
	PLAIN(llama_token_to_piece),
	PLAIN(llama_vocab_bos),
	PLAIN(llama_vocab_eos),
	PLAIN(llama_vocab_get_add_bos),
	PLAIN(llama_vocab_get_add_eos),
	PLAIN(llama_vocab_get_attr),
	PLAIN(llama_vocab_get_text),
	PLAIN(llama_vocab_is_eog),
	PLAIN(llama_vocab_n_tokens),
	PLAIN(llama_vocab_type),
};

void *proctor_symbol(const char *name) {
	for (const auto &f : functions) {
		if (strcmp(f.name, name) == 0) {
			return f.address;
		}
	}
	return nullptr;
}
