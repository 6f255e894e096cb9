// Package tune finds the settings with which an engine is fastest for a run, and keeps what it found.
//
// Which they are differs between machines and models: flash attention costs on a CPU what it gains on a GPU, and more slots
// pay until the caches overflow. So a run that is long enough begins with a calibration ([Search.Run]): one setting after
// the other is changed and kept where the model answered faster with it.
//
//	Search ─ kept before? ─ else: Probe ─ change ─ Probe ─ … ─ Calibration ─ kept for later runs
//
// Timing decides no bits where nothing else does: with proctor's kernels alone, slots, microbatches and threads are changed, and a
// token has the same bits with any of them. With ggml's kernels and on GPUs bits depend on how many tokens are computed together, so on
// slots and microbatches; there flash attention and the kind of cache are tried as well. The run's record says what was chosen.
//
// A [Probe] measures on random tokens, which a [Feed] makes. Neighbours: package llamacpp says what may be changed and what
// fits, and gives the engines; its benchmarks use the Feed too.
package tune
