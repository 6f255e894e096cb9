CREATE TABLE IF NOT EXISTS llama_batched_bench (
  n_kv_max INTEGER,
  is_pp_shared INTEGER,
  pp INTEGER,
  tg INTEGER,
  pl INTEGER,
  n_kv INTEGER,
  test_time TEXT,
  t_pp REAL,
  speed_pp REAL,
  t_tg REAL,
  speed_tg REAL,
  t REAL,
  speed REAL
);

INSERT INTO llama_batched_bench (build_commit, build_number, cpu_info, gpu_info, backends, model_filename, model_type, model_size, model_n_params, n_batch, n_ubatch, n_threads, type_k, type_v, n_gpu_layers, flash_attn, use_mmap, kernels, n_kv_max, is_pp_shared, pp, tg, pl, n_kv, test_time, t_pp, speed_pp, t_tg, speed_tg, t, speed) VALUES ('ec98e2002', '0', 'A CPU of 2 cores', '', 'CPU', 'models/small.gguf', 'llama 100M Q4_K - Medium', '61234567', '99876543', '2048', '512', '2', 'f16', 'f16', '0', '0', '1', '', '256', '0', '128', '64', '1', '192', '2026-11-20T08:30:00Z', '0.250000', '512.000000', '0.640000', '100.000000', '0.890000', '215.730337');
INSERT INTO llama_batched_bench (build_commit, build_number, cpu_info, gpu_info, backends, model_filename, model_type, model_size, model_n_params, n_batch, n_ubatch, n_threads, type_k, type_v, n_gpu_layers, flash_attn, use_mmap, kernels, n_kv_max, is_pp_shared, pp, tg, pl, n_kv, test_time, t_pp, speed_pp, t_tg, speed_tg, t, speed) VALUES ('ec98e2002', '0', 'A CPU of 2 cores', '', 'CPU', 'models/small.gguf', 'llama 100M Q4_K - Medium', '61234567', '99876543', '2048', '512', '2', 'f16', 'f16', '0', '0', '1', '', '2048', '1', '128', '64', '8', '640', '2026-11-20T08:30:00Z', '0.255000', '501.960784', '2.050000', '249.756098', '2.305000', '277.657267');
INSERT INTO llama_batched_bench (build_commit, build_number, cpu_info, gpu_info, backends, model_filename, model_type, model_size, model_n_params, n_batch, n_ubatch, n_threads, type_k, type_v, n_gpu_layers, flash_attn, use_mmap, kernels, n_kv_max, is_pp_shared, pp, tg, pl, n_kv, test_time, t_pp, speed_pp, t_tg, speed_tg, t, speed) VALUES ('ec98e2002', '0', 'A CPU of 2 cores', '', 'CPU', 'models/small.gguf', 'llama 100M Q4_K - Medium', '61234567', '99876543', '2048', '512', '2', 'f16', 'f16', '0', '0', '1', '', '1024', '0', '512', '0', '2', '1024', '2026-11-20T08:30:00Z', '2.000000', '512.000000', '0.000000', '0.000000', '2.000000', '512.000000');
