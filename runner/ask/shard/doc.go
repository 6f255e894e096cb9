// Package shard says which questions each of several machines asks, so that together they ask a run's, each once.
//
// [Parse] reads which shard a machine is, from what the user or the cluster says; [Divide] cuts a run's questions into shards. It depends on
// nothing but the questions, so that machines that know nothing of each other agree.
//
// Neighbours: package runner/ask asks a shard's questions, package merge makes one run of the shards'.
package shard
