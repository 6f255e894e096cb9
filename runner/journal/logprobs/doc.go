// Package logprobs keeps what a model said of each token of a run's completions: a file beside the journal, append-only, with
// one part an item. This comment is the format's specification.
//
// # File
//
// In a run's folder the file is called logprobs.bin. It begins with the eight bytes "logprobs", a byte with the version, 1, a byte
// with how many of the likeliest tokens are kept of each place, K (proctor keeps 20), and the 32 bytes of the vocabulary's SHA-256,
// which says what token ids mean. Then come the parts, one behind the other. The journal's
// line of an item has in logprobs where its part starts (in bytes from the file's beginning), how long it is, and its SHA-256; a
// part that no line names is none.
//
// # Part
//
// A part is the length of the item's id in bytes, the id, the number of tokens, and the tokens. A number without a size is an
// unsigned varint as protocol buffers have it (encoding/binary's Uvarint). A token is
//
//	rank     a byte: which of the likeliest tokens the completion's token is, from 0; K where it is none of them
//	token    its id and its logarithm, only where rank is K
//	entropy  of all tokens
//	likely   K times an id and its logarithm, the likeliest first
//	rest     logarithm of what all other tokens have together
//
// A logarithm is natural, of a probability by the model's scores as they are (temperature 1, no penalties), and an entropy is in
// nat: three bytes, the lowest first, a whole number of 2^-18 nat, the logarithm's without its sign. So both are exact to 2^-19,
// 0.0000019 nat. The largest number, 64 nat, stands for all that is beyond, as a probability of 0, and for an entropy that is not
// known, since a server tells the likeliest tokens alone. Completions have also the token
// which ended them, of a stop string or one that ends texts, so there may be one more than the journal's usage.output_tokens.
//
// # Damage
//
// An item's part is written, with one call, before its line of the journal. What a killed process left behind the last part that
// a line names is cut off when the run is resumed. An item whose part is not there, or not what its SHA-256 says, is asked again.
//
// Neighbours: package runner writes it beside package journal's file, package score reads it.
package logprobs
