// Package bundle writes what an air gap needs into one file, and checks and unpacks it on the other side.
//
// A bundle is a plain tar, since GGUF files do not compress. Everything lies in the folder proctor-bundle:
//
//	proctor-bundle/proctor               the program, first, so that `tar xf` has it at once
//	proctor-bundle/data/NAME/…           an imported question set: its files and its manifest.json
//	proctor-bundle/models/…              GGUF files, all parts of a split model
//	proctor-bundle/engines/NAME/…        a build of llama.cpp: its libraries
//	proctor-bundle/LICENSE               its licence
//	proctor-bundle/manifest.json         a [Manifest]: versions, what the set and the models are, every file above
//	proctor-bundle/SHA256SUMS            of all files above, as sha256sum -c reads it
//
// Nothing but regular files. The bytes depend on what is packed alone: entries in this order, times 0 since 1970, owner 0,
// modes 0755 and 0644. Files are streamed: none is held in memory.
//
// [Write] writes a bundle whole or not at all. [Check] reads one and says what is damaged, missing or does not belong there; [Unpack]
// does so while it writes the files beside their final place, which they get only where nothing is wrong. The sums find damage. Both
// sides print the bundle's own SHA-256, which tells whether it is the one that was sent.
//
// A bundle may come from anybody. What its manifest names lies in it, at the places above, and has a sum; nothing is a link, has a
// path that leads elsewhere on some system, or shares its path with another file.
//
// Neighbours: the command finds the files; the package knows neither models nor question sets.
package bundle
