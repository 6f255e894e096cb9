// Package merge makes one run of the shards of a run.
//
//	journals ─ open, order ─→ shards ─ inspect ─→ what each holds ─ check ─ journal.Compose ─→ one journal
//
// The journal has the header that the whole run would have had, with what the shards were, and their lines byte for byte, the first
// shard's first: it does not depend on the order in which the shards are given. What is kept in memory are the ids of the shards that
// are being read, and the numbers of all questions.
//
// Neighbours: package shard divides the questions, package journal specifies the file.
package merge
