package hub

import "proctor/prompts/dataset"

// A Source is a data set at a pinned revision of a Hugging Face repository.
type Source struct {
	Name       string // under which it is imported
	Repository string
	Revision   string // a commit
	Files      []File
}

// A File is one file of a source.
type File struct {
	Path   string // in the repository; its base name says which split it is
	Size   int64  // bytes
	SHA256 string
}

// MMLUPro is the MMLU-Pro of 12,032 test and 70 validation questions, MIT licence.
var MMLUPro = Source{
	Name:       dataset.PublishedName,
	Repository: "TIGER-Lab/MMLU-Pro",
	Revision:   "3373e0b32277875b8db2aa555a333b78a08477ea",
	Files: []File{
		{Path: "data/test-00000-of-00001.parquet", Size: 4150253,
			SHA256: "b8c790c6cc613a4b71a413230db54bcf2e2053d876ffc4c4451c94908af9e1f5"},
		{Path: "data/validation-00000-of-00001.parquet", Size: 45312,
			SHA256: "a6db33e44c7a8d6a0a9665aabe6596a5e7436bebb62412d1219821283835e457"},
	},
}

// String names the source for manifests and messages.
func (s Source) String() string { return s.Repository + "@" + s.Revision }
