CREATE TABLE IF NOT EXISTS llama_bench (
  build_commit TEXT,
  build_number INTEGER,
  cpu_info TEXT,
  gpu_info TEXT,
  backends TEXT,
  model_filename TEXT,
  model_type TEXT,
  model_size INTEGER,
  model_n_params INTEGER,
  n_batch INTEGER,
  n_ubatch INTEGER,
  n_threads INTEGER,
  type_k TEXT,
  type_v TEXT,
  n_gpu_layers INTEGER,
  flash_attn INTEGER,
  use_mmap INTEGER,
  kernels TEXT,
  n_prompt INTEGER,
  n_gen INTEGER,
  n_depth INTEGER,
  test_time TEXT,
  avg_ns INTEGER,
  stddev_ns INTEGER,
  avg_ts REAL,
  stddev_ts REAL
);

INSERT INTO llama_bench (build_commit, build_number, cpu_info, gpu_info, backends, model_filename, model_type, model_size, model_n_params, n_batch, n_ubatch, n_threads, type_k, type_v, n_gpu_layers, flash_attn, use_mmap, kernels, n_prompt, n_gen, n_depth, test_time, avg_ns, stddev_ns, avg_ts, stddev_ts) VALUES ('ec98e2002', '7437', 'A CPU', 'A "GPU", twice', 'CUDA', 'models/small.gguf', 'llama 100M Q4_K - Medium', '61234567', '99876543', '2048', '512', '2', 'f16', 'f16', '0', '0', '1', '', '512', '0', '0', '2026-11-20T08:30:00Z', '800000000', '7905694', '640.050007', '6.325568');
INSERT INTO llama_bench (build_commit, build_number, cpu_info, gpu_info, backends, model_filename, model_type, model_size, model_n_params, n_batch, n_ubatch, n_threads, type_k, type_v, n_gpu_layers, flash_attn, use_mmap, kernels, n_prompt, n_gen, n_depth, test_time, avg_ns, stddev_ns, avg_ts, stddev_ts) VALUES ('ec98e2002', '7437', 'A CPU', 'A "GPU", twice', 'CUDA', 'models/small.gguf', 'llama 100M Q4_K - Medium', '61234567', '99876543', '2048', '512', '2', 'f16', 'f16', '0', '0', '1', '', '0', '128', '0', '2026-11-20T08:30:00Z', '1280000000', '0', '100.000000', '0.000000');
INSERT INTO llama_bench (build_commit, build_number, cpu_info, gpu_info, backends, model_filename, model_type, model_size, model_n_params, n_batch, n_ubatch, n_threads, type_k, type_v, n_gpu_layers, flash_attn, use_mmap, kernels, n_prompt, n_gen, n_depth, test_time, avg_ns, stddev_ns, avg_ts, stddev_ts) VALUES ('ec98e2002', '7437', 'A CPU', 'A "GPU", twice', 'CUDA', 'large.gguf', 'llama''s 8B | Q8_0', '8540000000', '8030000000', '1024', '256', '4', 'q8_0', 'q4_0', '99', '1', '0', '', '512', '128', '0', '2026-11-20T08:30:00Z', '4000000000', '0', '160.000000', '0.000000');
INSERT INTO llama_bench (build_commit, build_number, cpu_info, gpu_info, backends, model_filename, model_type, model_size, model_n_params, n_batch, n_ubatch, n_threads, type_k, type_v, n_gpu_layers, flash_attn, use_mmap, kernels, n_prompt, n_gen, n_depth, test_time, avg_ns, stddev_ns, avg_ts, stddev_ts) VALUES ('ec98e2002', '7437', 'A CPU', 'A "GPU", twice', 'CUDA', 'large.gguf', 'llama''s 8B | Q8_0', '8540000000', '8030000000', '1024', '256', '4', 'q8_0', 'q4_0', '99', '1', '0', '', '16', '0', '4096', '2026-11-20T08:30:00Z', '25000000', '7071067', '666.666667', '188.561808');
