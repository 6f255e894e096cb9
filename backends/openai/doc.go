// Package openai asks a server that speaks OpenAI's protocol: llama.cpp's llama-server and its forks, vLLM, LM Studio, Ollama.
//
// Prompts go as they are to /v1/completions. What llama-server says beyond the protocol is used where it is there: how many
// requests it answers at a time (/props), and what of an answer's time and tokens were the prompt's ("timings"). It serves
// benchmarks, which lay such a server beside proctor's own engine. Neighbours: package inflight keeps the server busy, package
// stream gathers the text.
package openai
