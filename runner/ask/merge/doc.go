// Package merge joins the shards of a run into one run.
//
//	journals ─ open, order ─→ shards ─ inspect ─→ what each holds ─ check ─ journal.Compose ─→ one journal
//
// The journal has the whole run's header, a description of the shards, and their lines byte for byte in the shards' order, whatever
// order they are given in. Only the ids of the shards being read, and the numbers of all questions, are kept in memory.
//
// Neighbours: package shard divides the questions, package journal specifies the file.
package merge
