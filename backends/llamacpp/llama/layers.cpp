#include "layers.h"

// Beside the folder of llama.h.
#include "../src/llama-context.h"
#include "../src/llama-impl.h"
#include "../src/llama-model.h"

proctor_layer proctor_model_layer(const llama_model *model, int32_t layer) {
	const llama_hparams &h = model->hparams;
	const bool recurrent = h.is_recurrent(layer);
	return {
		recurrent ? (int32_t) (h.n_embd_r() + h.n_embd_s()) : 0,
		!recurrent || model->arch == LLM_ARCH_FALCON_H1, // as its create_memory has it
		h.is_swa(layer),
	};
}

void proctor_engine_copy_now(proctor_engine *engine) {
	try {
		engine->context->memory_update(false);
	} catch (const std::exception &e) {
		LLAMA_LOG_ERROR("%s: %s\n", __func__, e.what());
	}
}
