// Package engines pulls, finds and describes builds of llama.cpp that are loaded at run time.
//
//	a published release ── Pull: unpacked, described, tested ──→ FOLDER/NAME
//	FOLDER/NAME, any folder ── List, Find: described in a child process ──→ Engine: release, backends, what it opens
//
// Loading a library runs its code. So a child process loads it, with a time limit: a library that crashes while it is
// loaded becomes an [Engine] with a Problem. Whether a build can open a file is tried with a probe (see package gguf).
//
// Neighbours: package llama loads the libraries, package child starts the processes, package selftest has the
// questions, package registry decides which engine a model gets.
package engines
