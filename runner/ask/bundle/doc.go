// Package bundle packs proctor, models and questions into one file for a machine without a network, and checks and unpacks it there.
//
// A bundle is a plain tar, since GGUF files do not compress. Everything lies in the folder proctor-bundle:
//
//	proctor-bundle/proctor               the program, first, so that `tar xf` has it at once
//	proctor-bundle/data/NAME/…           an imported question set: its files and its manifest.json
//	proctor-bundle/models/…              GGUF files, all parts of a split model
//	proctor-bundle/engines/NAME/…        a build of llama.cpp: its libraries
//	proctor-bundle/LICENSE               its licence
//	proctor-bundle/manifest.json         a [Manifest]: versions, the set, the models, every file above
//	proctor-bundle/SHA256SUMS            of all files above, as sha256sum -c reads it
//
// It has regular files only. Its bytes depend only on the contents: entries in this order, times 0 since 1970, owner 0,
// modes 0755 and 0644. Files are streamed: none is held in memory.
//
// [Write] writes a bundle whole or not at all. [Check] reads one and lists damaged, missing and unexpected files. [Unpack] does the
// same while it writes the files beside their final place, where it moves them only if nothing is wrong. The sums find damage; the
// bundle's own SHA-256, printed on both sides, shows whether it is the one that was sent.
//
// A bundle may come from anybody. Everything that its manifest names must be in it, at the places above, with a sum; links, paths
// that lead elsewhere on some system, and two files with one path are refused.
//
// Neighbours: the command finds the files; the package knows neither models nor question sets.
package bundle
