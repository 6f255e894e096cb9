#include "details.h"

// Beside the folder of llama.h.
#include "../src/llama-context.h"
#include "../src/llama-impl.h"
#include "../src/llama-model.h"

void proctor_model_layer(const llama_model *model, int32_t layer, proctor_layer *is) {
	const llama_hparams &h = model->hparams;
	const bool recurrent = h.is_recurrent(layer);
	*is = {
		recurrent ? (int32_t) (h.n_embd_r() + h.n_embd_s()) : 0,
		// As its create_memory has it. Some layers use the cache of an earlier one, or predict more than the next token.
		h.has_kv(layer) && (!recurrent || model->arch == LLM_ARCH_FALCON_H1),
		h.is_swa(layer),
	};
}

void proctor_device(ggml_backend_dev_t device, proctor_device_details *is) {
	ggml_backend_dev_props p = {};
	ggml_backend_dev_get_props(device, &p);
	*is = {p.device_id, p.driver_major, p.driver_minor, p.integrated};
}

void proctor_copy_now(llama_context *context) {
	try {
		context->memory_update(false);
	} catch (const std::exception &e) {
		LLAMA_LOG_ERROR("%s: %s\n", __func__, e.what());
	}
}
