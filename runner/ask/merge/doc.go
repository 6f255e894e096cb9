// Package merge makes one run of the shards of a run.
//
//	journals ─ open, order ─→ shards ─ inspect ─→ what each holds ─ check ─ journal.Compose ─→ one journal
//
// The journal has the header that the whole run would have had, with what the shards were, and their lines byte for byte, the first
// shard's first: it does not depend on the order in which the shards are given. What is kept in memory are the ids of the shards that
// are being read, and the numbers of all questions.
//
// Shards of a run that stops once something is decided each have e-values of their own: an e-value is at least 0 and has a mean of 1
// at most under its hypothesis, which holds for the mean of several as well, however they depend on each other. All shards' hypotheses
// are of the whole run's questions, which were dealt out to them by chance, so the merged run's e-values are the means of the shards'
// last ones, 1 for a shard that has none. Source: Vovk and Wang 2021, Annals of Statistics 49:1736.
// Where every question was answered and still none of that decides, the difference itself is known, and does.
//
// Neighbours: package shard divides the questions, package journal specifies the file.
package merge
