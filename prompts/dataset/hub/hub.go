// Package hub downloads published sets from a repository of Hugging Face or ModelScope into the data folder.
//
// A [Source] pins a revision and every file's size and sha256, so that a pull is either exactly those bytes or an
// error. A pull that was cut off, also one that was killed, is resumed. The finished files are
// imported by package dataset, which knows nothing of networks; nothing else in the program leaves the machine
// unasked. [Fetch] downloads other files in the same way, such as builds of llama.cpp.
package hub

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"strings"

	"proctor/prompts/dataset"
)

// A Hub is where repositories of data sets lie, and how to request a file of one.
type Hub struct {
	Name     string // as people type it
	variable string // of the environment: its address, where that is another
	address  string // its own
	domain   bool   // the variable holds a domain, whose scheme is https
	file     func(s *Source, f *File) string
}

// Hubs are those that [Pull] knows, the default first.
var Hubs = []Hub{
	{"huggingface", "HF_ENDPOINT", "https://huggingface.co", false, func(s *Source, f *File) string {
		return "/datasets/" + s.Repository + "/resolve/" + s.Revision + "/" + f.Path
	}},
	// Its client asks for a branch or a tag, since it knows no commits; the pinned sha256 says whether the bytes are the same.
	{"modelscope", "MODELSCOPE_DOMAIN", "https://www.modelscope.cn", true, func(s *Source, f *File) string {
		return "/api/v1/datasets/" + s.Repository + "/repo?Source=SDK&Revision=master&FilePath=" + url.QueryEscape(f.Path)
	}},
}

// Named finds a hub.
func Named(name string) (Hub, error) {
	var names []string
	for _, h := range Hubs {
		if h.Name == name {
			return h, nil
		}
		names = append(names, h.Name)
	}
	return Hub{}, fmt.Errorf("there is no hub %q; there are %s", name, strings.Join(names, " and "))
}

// base is the hub's address; given comes before the environment's.
func (h *Hub) base(given string) (string, error) {
	text := cmp.Or(given, os.Getenv(h.variable), h.address)
	if h.domain && !strings.Contains(text, "://") {
		text = "https://" + text
	}
	endpoint, err := url.Parse(text)
	if err != nil || endpoint.Host == "" || (endpoint.Scheme != "http" && endpoint.Scheme != "https") {
		return "", fmt.Errorf("endpoint %sis not an http or https address; mend %s or unset it", shown(text), h.variable)
	}
	return strings.TrimRight(text, "/"), nil
}

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
