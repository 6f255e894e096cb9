// Package openai asks servers that speak OpenAI's protocol: llama.cpp's llama-server, its router and its forks, vLLM, SGLang, LM Studio,
// Ollama's /v1, and services such as OpenAI's, xAI's and Gemini's.
//
// [Open] meets the servers. A raw prompt goes as it is to /v1/completions, a conversation to
// /v1/chat/completions, with thinking in <think> tags before the text, and stop strings applied here, behind the thinking.
//
// The protocol is the least that these servers have in common. It does not report a model's context, its tokens, how
// a conversation is written down, or how many requests are answered at a time; kind.go asks for that in the words of
// the kinds that are known, and has the fields that each takes beyond the protocol. A field that a server refuses,
// one at most, is left out from then on, and its notes say so. What a server does not report, or cannot do, is a note
// of the run ([backends.Info]). A prompt may have been cut where fewer tokens were read than it has, as many as the
// context holds, or, where neither is known, far fewer for its length than of other prompts.
//
// Facts, seen with Ollama 0.17.4 and ik_llama.cpp's llama-server:
//
//   - Ollama's /v1 takes neither num_ctx nor top_k, min_p or a repeat penalty: it has its own, of 1.1, with temperature 0 too.
//     It cuts a prompt that is longer than its context with status 200.
//   - Forks of llama-server say "stop" of every completion, and list the context of all slots together as max_model_len.
//   - llama-server lists its models to everybody, and asks for the key only then.
//   - Ollama returns log-probabilities of conversations, and none of raw prompts; texts of tokens, where llama-server has ids. Both are of
//     the scores as they are.
//   - ik_llama.cpp's log-probabilities depend on how many are requested: it counts the tokens that it does not return twice.
//   - llama-server b11434 returns log-probabilities as they were before logit_bias, of as many tokens as are requested,
//     up to all. Their sum is in single precision: with 49,152 tokens it was up to 0.016 % off. It returns none of a
//     token that ends inside a character.
//   - llama-server's own defaults, top_k 40 and min_p 0.05, hold where a request says nothing.
//
// Keys and passwords are sent to the servers that they are for, and are nowhere else: texts of errors pass through secrets.
//
// The files: server is the protocol, kind what is known of each engine and service, request and body what is sent,
// answer what comes of it, model the backend's own methods; scorer reads letters.
//
// Neighbours: package servers has the backend that the protocol is of, stream gathers the text.
package openai
