// Package ollama asks models that Ollama servers hold, through Ollama's own client and its native API.
//
// [Open] meets the servers. A raw prompt goes through /api/generate with raw; a conversation is written down by the
// server when its turn comes and goes through /api/chat, with thinking in <think> tags before the text, and stop
// strings applied here, behind the thinking. Every option that may change an answer is sent. Items go in order, so that
// each server finds the beginning of a prompt in its cache.
//
// The files: server is the protocol, host where it is, model the backend's own methods.
//
// # Facts about the server
//
// Seen with Ollama 0.17.4, in its answers and its source; the package's tests run against it.
//
//   - A prompt longer than num_ctx is cut in the middle, with status 200, unless the request's truncate is false: then
//     it is refused with status 400. prompt_eval_count counts the tokens left after the cut: num_ctx. A num_ctx above what the
//     model was trained for becomes that, silently; /api/ps shows it.
//   - prompt_eval_count includes tokens from the cache, and nothing says how many. With one request at a time
//     it is exactly what the prompt shares with the one before; with several it is a little less, since each of the
//     server's places has its own cache. eval_count includes the end-of-generation token, and the tokens of a stop
//     string, so after a stop it may be one too many: where stop strings were sent, the two cannot be told apart.
//   - After some thirty equal pieces in a row (blanks aside) the server gives up on the model. A streamed answer then
//     ends without a last line, one that is not streamed has done:true and no counts. Here this is FinishLength with
//     [backends.CauseLoop]: the model's doing, so it is marked as it stands, and not repeated.
//   - Of several stop strings that become whole at once the server takes the one named first; here the first in the text
//     counts. An empty one stops every text at once, so none is sent. Bytes that are no character vanish with what
//     came since the last whole piece; in-process they become U+FFFD.
//   - A raw request has its thinking taken out too, if the model knows thinking, unless think is false.
//   - The greatest seed, 2³²−1, means "draw one": the next smaller one is sent. Temperature 0 is greedy, but for a
//     penalty on repeated words that is 1.1 where the request does not say 1.
//   - /api/show leaves the GGUF's own chat template out. Ollama guesses one of its own that looks alike, and may guess
//     wrong; for templates that look like none it takes {{ .Prompt }}, which marks no turns.
//   - The digest that /api/tags lists depends, for models made by ollama create, on the folder in which the server keeps
//     them. So servers are compared by the weights' file, named in the Modelfile, and by what is served beside it.
//   - The durations of answers that are written at the same time overlap. What is journalled is each one's share.
//   - Ollama's client takes a broken connection in mid-stream for the end of the answer, and an error without a body for
//     an answer without a line; see transport.
//
// Neighbours: package servers has the backend that the protocol is of; package store reads the models that Ollama keeps
// on this machine; package ollamatest has the real server, which the tests use.
package ollama
