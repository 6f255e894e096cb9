CREATE TABLE IF NOT EXISTS proctor_bench (
  slots INTEGER,
  kv_unified INTEGER,
  context INTEGER,
  questions INTEGER,
  shared_tokens INTEGER,
  own_tokens INTEGER,
  max_tokens INTEGER,
  test_time TEXT,
  prompt_tokens INTEGER,
  reused_tokens INTEGER,
  evaluated_tokens INTEGER,
  output_tokens INTEGER,
  questions_per_minute REAL,
  questions_per_minute_stddev REAL,
  prefill_tokens_per_second REAL,
  prefill_tokens_per_second_stddev REAL,
  decode_tokens_per_second REAL,
  decode_tokens_per_second_stddev REAL,
  reuse_share REAL
);

INSERT INTO proctor_bench (build_commit, build_number, cpu_info, gpu_info, backends, model_filename, model_type, model_size, model_n_params, n_batch, n_ubatch, n_threads, type_k, type_v, n_gpu_layers, flash_attn, use_mmap, kernels, slots, kv_unified, context, questions, shared_tokens, own_tokens, max_tokens, test_time, prompt_tokens, reused_tokens, evaluated_tokens, output_tokens, questions_per_minute, questions_per_minute_stddev, prefill_tokens_per_second, prefill_tokens_per_second_stddev, decode_tokens_per_second, decode_tokens_per_second_stddev, reuse_share) VALUES ('ec98e2002', '0', 'A CPU of 2 cores', '', 'CPU', 'models/small.gguf', 'llama 100M Q4_K - Medium', '61234567', '99876543', '2048', '512', '2', 'f16', 'f16', '0', '0', '1', '', '16', '0', '1536', '48', '1018', '220', '64', '2026-11-20T08:30:00Z', '59424', '47846', '11578', '3072', '106.764347', '3.956948', '1716.830009', '63.629927', '227.763940', '8.441490', '0.805163');
INSERT INTO proctor_bench (build_commit, build_number, cpu_info, gpu_info, backends, model_filename, model_type, model_size, model_n_params, n_batch, n_ubatch, n_threads, type_k, type_v, n_gpu_layers, flash_attn, use_mmap, kernels, slots, kv_unified, context, questions, shared_tokens, own_tokens, max_tokens, test_time, prompt_tokens, reused_tokens, evaluated_tokens, output_tokens, questions_per_minute, questions_per_minute_stddev, prefill_tokens_per_second, prefill_tokens_per_second_stddev, decode_tokens_per_second, decode_tokens_per_second_stddev, reuse_share) VALUES ('ec98e2002', '0', 'A CPU of 2 cores', '', 'CPU', 'models/small.gguf', 'llama 100M Q4_K - Medium', '61234567', '99876543', '2048', '512', '2', 'f16', 'f16', '0', '0', '1', '', '1', '0', '1536', '48', '1018', '220', '64', '2026-11-20T08:30:00Z', '59424', '47846', '11578', '3072', '57.600000', '0.000000', '926.240000', '0.000000', '122.880000', '0.000000', '0.805163');
