package llamatest

import (
	_ "embed"
	"os"
)

// thinker is a small model that was trained on sums with their working between <think> and </think>.
//
//go:embed thinker.gguf
var thinker []byte

// WriteThinker writes a model to path that thinks between <think> and </think>: it adds digits one at a time, and is right as often as
// its thinking came to the end. Its prompts ask for the last digit of a sum, as scripts/tools/arithmetic -sums has it.
func WriteThinker(path string) error { return os.WriteFile(path, thinker, 0o644) }
