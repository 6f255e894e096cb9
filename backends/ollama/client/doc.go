// Package client speaks to Ollama's servers, through Ollama's own client, and adds what that leaves out: whom it talks to
// ([Transport]), whether an answer was whole ([Exchange]), what an error means ([Classify]) and for whom it is ([Plain],
// [OneLine]), how several hosts are named ([At]), and what they offer ([List]).
//
// It knows requests and servers. Package ollama, its neighbour, knows items, and spreads them over servers.
package client
