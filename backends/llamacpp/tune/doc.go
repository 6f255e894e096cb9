// Package tune finds the settings with which an engine is fastest for a run, and keeps what it found.
//
// Which they are differs between machines and models: flash attention costs on a CPU what it gains on a GPU, and more slots pay until the
// caches overflow. What is tried, and when, depends on what computes.
//
// With ggml's kernels and on GPUs a token's bits depend on how many are computed together, so on slots, microbatches, flash attention and
// the kind of cache. These are chosen before the first question, within two seconds ([Search.Run]): one setting after the other is changed
// and kept where the model answered faster with it. The run's record says what was chosen.
//
//	Search ─ kept before? ─ else: Probe ─ change ─ Probe ─ … ─ Calibration ─ kept for later runs
//
// With proctor's kernels alone nothing is tried beforehand: 16, 24 and 32 slots answer as many questions a minute, within what a measurement
// can tell. There the number of threads is found on the run's own first batches ([Threads]), since a token has the same bits with any.
//
// A [Probe] measures on random tokens, which a [Feed] makes. Neighbours: package llamacpp says what may be changed and what
// fits, and gives the engines; its benchmarks use the Feed too.
package tune
