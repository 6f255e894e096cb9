package gguf

import (
	"fmt"
	"slices"
)

// doubled are the architectures whose state llama.cpp knows only twice as wide as the model.
var doubled = []string{"mamba", "mamba2", "jamba", "granitehybrid"}

// checkState looks at the state of layers without attention.
func (f *File) checkState() error {
	inner, width := f.ArchInt("ssm.inner_size", 0), f.ArchInt("embedding_length", 0)
	if slices.Contains(doubled, f.Architecture()) && inner != 2*width {
		return fmt.Errorf("the key %q is %d, llama.cpp knows only twice the width of %d", f.key("ssm.inner_size"), inner, width)
	}
	if f.Architecture() != "qwen3next" {
		return nil
	}
	heads, size, groups := f.ArchInt("ssm.time_step_rank", 0), f.ArchInt("ssm.state_size", 0), f.ArchInt("ssm.group_count", 0)
	switch {
	case groups < 1 || heads < 1 || heads%groups != 0:
		return fmt.Errorf("damaged: the key %q is %d, of %d heads in %q", f.key("ssm.group_count"), groups, heads,
			f.key("ssm.time_step_rank"))
	case inner != heads*size:
		return fmt.Errorf("damaged: the key %q is %d, of %d heads with a state of %d", f.key("ssm.inner_size"), inner, heads, size)
	}
	return nil
}
