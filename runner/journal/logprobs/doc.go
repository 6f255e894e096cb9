// Package logprobs keeps a model's log-probabilities for each token of a run's completions: a file beside the journal, append-only, with
// one part for each item. This comment is the format's specification.
//
// # File
//
// In a run's folder the file is called logprobs.bin. It begins with the eight bytes "logprobs", a byte with the version, 1, a byte
// with K, the number of likeliest tokens kept at each place (proctor keeps 64), and the 32 bytes of the vocabulary's
// SHA-256, which identifies the meaning of token ids. The parts follow. An item's line in the journal has in logprobs
// where its part starts (in bytes from the file's beginning), how long it is, and its SHA-256; a part that no line
// names does not count.
//
// # Part
//
// A part is the length of the item's id in bytes, the id, the number of tokens, and the tokens. A number without a size is an
// unsigned varint as in protocol buffers (encoding/binary's Uvarint). A token is
//
//	rank     a byte: which of the likeliest tokens the completion's token is, from 0; K where it is none of them
//	token    its id and its logarithm, only where rank is K
//	entropy  of all tokens
//	likely   K times an id and its logarithm, the likeliest first
//	rest     logarithm of what all other tokens have together
//
// A logarithm is the natural one of a probability by the model's unchanged scores (temperature 1, no penalties); an entropy is in
// nat. Both are three bytes, the lowest first: a multiple of 2^-18 nat, for a logarithm without its sign, so the error is at most
// 2^-19 = 0.0000019 nat. The largest number, 64 nat, also stands for anything larger, such as a probability of 0, and for an
// unknown entropy (a server sends only the likeliest tokens). The token that ended a completion is included, so there may be one
// more than the journal's usage.output_tokens.
//
// # Damage
//
// An item's part is written, with one call, before its line of the journal. Whatever a killed
// process left behind the last named part is cut off when the run is resumed. An item whose part is missing, or does not match its
// SHA-256, is asked again.
//
// Neighbours: package ask writes it beside package journal's file, package score reads it.
package logprobs
