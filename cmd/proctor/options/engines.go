package options

import (
	"path/filepath"

	"proctor/backends/engines"
	"proctor/prompts/dataset"
)

// The commands by which this program is an engine's process: one computes, the other says what an engine is.
const (
	EngineCommand   = "engine"
	ServeCommand    = "serve"
	DescribeCommand = "describe"
)

// EngineArgs have this program be the process of an engine.
func EngineArgs() []string { return []string{"proctor", EngineCommand, ServeCommand} }

// KeptEngines knows the engines of this machine.
func KeptEngines() engines.Store {
	s := engines.Store{
		Child: []string{"proctor", EngineCommand, DescribeCommand},
		Test:  []string{"doctor", "--self-test", "--format", "json", "--kernels"},
	}
	if data, err := dataset.Folder(); err == nil {
		s.Folder = filepath.Join(data, "engines")
	}
	return s
}
