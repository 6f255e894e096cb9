// Package hub downloads published sets from a repository of Hugging Face or ModelScope into the data folder.
//
// A [Source] pins a revision and every file's size and sha256, so that a pull is either exactly those bytes or an
// error. A pull that was cut off, also one that was killed, goes on where it stopped. The finished files are
// imported by package dataset, which knows nothing of networks; nothing else in the program leaves the machine
// unasked. [Fetch] downloads other files in the same way, such as builds of llama.cpp.
package hub
