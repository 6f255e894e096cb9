// Package tune measures engines on random tokens, and finds the number of threads that a run's batches are computed
// fastest on.
//
// A [Feed] makes the tokens, for [Rough], the estimate of a run's pace before it begins, and for package llamacpp's
// benchmarks. [Threads] takes turns on a run's own first batches. Nothing else is tried out: slots, microbatches and
// flash attention follow from the memory and from what computes, since texts can depend on them.
package tune
