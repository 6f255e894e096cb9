// Package engines finds, keeps and describes builds of llama.cpp that are loaded at run time.
//
//	folders that programs install them to, and kept ones ── Describe, in a child process ──→ Engine: release, backends, what it opens
//	a folder, archives, a published release ── Add: copied, described, tested ──→ FOLDER/NAME
//
// To load a library runs its code. This package therefore asks a process of its own, this program with the arguments of [Store].Child,
// for everything that is to be known of one, and gives it a time limit: a library that dies while it is loaded is an [Engine] with a
// Problem. Which file a build can open is asked of the build itself, by a probe (see package gguf).
//
// A [Quantizer] has such a process quantise, too: a library cannot be stopped otherwise.
//
// A kept engine is a folder with the libraries and a file engine.json, which makes it one of ours: nothing else is ever removed, and
// nothing replaced. It appears in one step, once it has been described and has answered the self-test.
//
// Neighbours: package llama loads the libraries, package selftest has the questions, package open decides which engine a model gets.
package engines
