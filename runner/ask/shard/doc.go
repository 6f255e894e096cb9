// Package shard divides a run's questions among several machines, so that each question is asked once, and joins what
// they answered into one run.
//
// [Parse] finds a machine's shard, from the flag or the cluster's environment; [Divide] cuts a run's questions into shards. It depends
// on the questions only, so that machines agree without communicating.
//
//	journals ─ open, order ─→ shards ─ inspect ─→ what each holds ─ check ─ journal.Compose ─→ one journal
//
// The journal that [Merge] writes has the whole run's header, a description of the shards, and their lines byte for
// byte in the shards' order, whatever order they are given in. Only the ids of the shards being read, and the numbers
// of all questions, are kept in memory.
//
// Neighbours: package ask runs a shard's questions, package journal specifies the file.
package shard
