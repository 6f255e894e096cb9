// Package store reads Ollama's local model store: in which file a model's weights lie.
//
// A store is a folder of two folders. manifests holds a JSON file for each model, as
// manifests/HOST/NAMESPACE/NAME/TAG, which lists the model's layers by media type, digest and size; blobs holds each
// layer under its digest, as blobs/sha256-HEX. The layer of the weights is a GGUF file. The tag of a name is "latest"
// where none is given.
//
// The package reads files only: it needs no server, writes nothing and speaks no HTTP. Neighbours: package gguf reads
// the blob's header, package llamacpp runs it, package ollama asks a server instead.
package store
