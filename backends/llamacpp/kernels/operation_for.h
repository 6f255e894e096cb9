// A level's operations beside products and attention.
#pragma once

#include "glu_of.h"
#include "mul_mat_floats_of.h"
#include "norm_of.h"
#include "rms_norm_of.h"
#include "rope_of.h"
#include "set_rows.h"
#include "soft_max_of.h"
#include "ssm_conv_of.h"
#include "ssm_scan_of.h"
#include "unary_of.h"

namespace kernels::PROCTOR_LEVEL {

operation operation_for(const ggml_tensor *op) {
	switch (op->op) {
	case GGML_OP_GLU: return glu_for(op);
	case GGML_OP_MUL_MAT:
	case GGML_OP_MUL_MAT_ID: return mul_mat_floats_for(op); // of what is not packed
	case GGML_OP_NORM: return norm_for(op);
	case GGML_OP_RMS_NORM: return rms_norm_for(op);
	case GGML_OP_ROPE: return rope_op::takes(op) ? rope : nullptr;
	case GGML_OP_SET_ROWS: return writes_keys(op) || writes_values(op) ? set_rows : nullptr;
	case GGML_OP_SOFT_MAX: return soft_max_for(op);
	case GGML_OP_SSM_CONV: return ssm_conv_for(op);
	case GGML_OP_SSM_SCAN: return ssm_scan_for(op);
	case GGML_OP_UNARY: return unary_for(op);
	default: return nullptr;
	}
}

} // namespace kernels::PROCTOR_LEVEL
