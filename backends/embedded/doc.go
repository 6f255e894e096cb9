// Package embedded is the control model: a small language model, trained for this project, that every copy of
// proctor carries.
//
// It makes a first run possible without a download, and tests and reports can rely on what it does. llama.cpp reads
// models from files, so the first use writes it into the user's cache folder, under the name of its digest; later
// uses find it there. Neighbours: llamacpp runs it, scripts/tools/controlmodel trains it.
package embedded
