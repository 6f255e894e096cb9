// Package gpu finds ggml's GPU backends, shared libraries such as libggml-vulkan.so, and has package llama load them.
//
//	places ─ a folder's libraries ─ of our version? ─ llama.LoadBackend ─ devices
//
// They share structures with the ggml that this program is linked with, so one of another version must not come into the
// process at all, and a library does not tell its version. A file ggml.sha256 beside it does, which scripts/gpu-backend.sh writes: the
// version, and the checksums of the libraries. What it does not speak for is refused.
//
// A backend brings its own copy of ggml's base along. The copies keep apart: nothing of the program's
// ggml is exported, and they meet only in the functions that buffers and devices carry.
//
// Neighbours: package llamacpp decides which layers a device gets.
package gpu
