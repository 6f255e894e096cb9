// Package shard divides a run's questions among several machines, so that each question is asked once.
//
// [Parse] finds a machine's shard, from the flag or the cluster's environment; [Divide] cuts a run's questions into shards. It depends
// on the questions only, so that machines agree without communicating.
//
// Neighbours: package ask runs a shard's questions, package merge joins the shards into one run.
package shard
