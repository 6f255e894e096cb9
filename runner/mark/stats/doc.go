// Package stats computes intervals, tests and comparisons from counts and scores. It is pure: no I/O, no clock, no
// randomness but what a caller's seed gives, and the only package that imports gonum's distributions.
//
// Two habits hold throughout. What cannot be computed is an undefined [Number] or an [Interval] that IsZero, never
// NaN and never a 0 that looks like a measurement. And what is computed on shaky ground carries Warnings, which
// travel with the number to wherever it is printed.
//
// The files: number and estimate are the results' types; proportion, mean, stratified and classification estimate; tail says
// how likely guessing is; paired, pairedscore, pairedmean, multiple compare; sequence holds whenever one stops, as package betting
// does; letters looks at which letters were picked; quantile bounds medians; repeats and size belong to repeated runs and to
// planning them.
//
// The package has somewhat over 2,000 lines: estimators are small files each, and all of them give and take the same few types,
// which a package apart would have to export for nobody else.
//
// Its callers are metrics and compare.
package stats
