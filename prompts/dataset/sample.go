package dataset

import (
	"embed"
	"io/fs"

	"proctor/prompts/task"
)

// SampleName is the reference of the embedded sample.
const SampleName = task.Sample

// The sample is written for this project in MMLU-Pro's schema: 14 subjects, 12 test and 5 validation questions each.
//
//go:embed sample/test.jsonl sample/validation.jsonl
var sampleFiles embed.FS

func sampleFolder() fs.FS {
	folder, err := fs.Sub(sampleFiles, SampleName)
	if err != nil {
		panic(err) // a constant name that is not a valid path
	}
	return folder
}
