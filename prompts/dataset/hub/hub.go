// Package hub downloads published sets from a repository of Hugging Face or ModelScope into the data folder.
//
// A [Source] pins a revision and every file's size and sha256, so that a pull is either exactly those bytes or an
// error. A pull that was cut off, also one that was killed, is resumed. The finished files are
// imported by package dataset, which knows nothing of networks; nothing else in the program leaves the machine
// unasked. [Fetch] downloads other files in the same way, such as builds of llama.cpp.
package hub

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"proctor/prompts/dataset"
)

// A Hub is where repositories of data sets lie, and how to request a file of one.
type Hub struct {
	Name     string // as people type it
	variable string // of the environment: its address, where that is another
	address  string // its own
	domain   bool   // the variable holds a domain, whose scheme is https
	file     func(Source, File) string
}

// Hubs are those that [Pull] knows, the default first.
var Hubs = []Hub{
	{"huggingface", "HF_ENDPOINT", "https://huggingface.co", false, func(s Source, f File) string {
		return "/datasets/" + s.Repository + "/resolve/" + s.Revision + "/" + f.Path
	}},
	// It knows no commits, but branches and tags; the pinned sha256 says whether the bytes are the same.
	{"modelscope", "MODELSCOPE_DOMAIN", "https://www.modelscope.cn", true, func(s Source, f File) string {
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
func (h Hub) base(given string) (string, error) {
	text := cmp.Or(given, os.Getenv(h.variable), h.address)
	if h.domain && !strings.Contains(text, "://") {
		text = "https://" + text
	}
	endpoint, err := url.Parse(text)
	if err == nil && endpoint.Host != "" && (endpoint.Scheme == "http" || endpoint.Scheme == "https") {
		return strings.TrimRight(text, "/"), nil
	}
	shown := strconv.Quote(text) + " "
	if strings.Contains(text, "@") { // it may have a password
		shown = ""
	}
	return "", fmt.Errorf("endpoint %sis not an http or https address; mend %s or unset it", shown, h.variable)
}

// A Source is a data set at a pinned revision of a repository.
type Source struct {
	Name       string // under which it is imported
	Repository string
	Revision   string // a commit of Hugging Face's
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
		{"data/test-00000-of-00001.parquet", 4150253, "b8c790c6cc613a4b71a413230db54bcf2e2053d876ffc4c4451c94908af9e1f5"},
		{"data/validation-00000-of-00001.parquet", 45312, "a6db33e44c7a8d6a0a9665aabe6596a5e7436bebb62412d1219821283835e457"},
	},
}

// String names the source for manifests and messages.
func (s Source) String() string { return s.Repository + "@" + s.Revision }

// Pull downloads what is not there yet, checks it and imports it. If ctx ends, what has arrived stays for the next
// pull. If the set is imported already, Pull returns its manifest without a request.
func Pull(ctx context.Context, source Source, o Options) (manifest dataset.Manifest, err error) {
	if o.Folder == "" {
		if o.Folder, err = dataset.Folder(); err != nil {
			return manifest, err
		}
	}
	manifests, err := dataset.List(o.Folder)
	if err != nil {
		return manifest, err
	}
	for _, m := range manifests {
		pinned := slices.EqualFunc(m.Splits, source.Files, func(s dataset.Split, f File) bool { return s.SHA256 == f.SHA256 })
		if m.Name == source.Name && pinned {
			return m, nil
		}
	}
	from := source.String()
	if o.Hub.Name == "" {
		o.Hub = Hubs[0]
	} else if o.Hub.Name != Hubs[0].Name {
		from += " from " + o.Hub.Name
	}
	base, err := o.Hub.base(o.Endpoint)
	if err != nil {
		return manifest, err
	}
	partials := filepath.Join(o.Folder, ".pull", source.Revision)
	if err := os.MkdirAll(partials, 0o755); err != nil {
		return manifest, fmt.Errorf("data folder: %w", err)
	}
	d := newDownload(o, source.Files...)
	for _, file := range source.Files {
		target := filepath.Join(partials, path.Base(file.Path))
		if err := d.fetch(ctx, base+o.Hub.file(source, file), file, target); err != nil {
			return manifest, err
		}
	}
	manifest, err = dataset.Import(source.Name, partials, dataset.ImportOptions{
		Options: dataset.Options{Folder: o.Folder}, Source: from, Replace: o.Replace,
	})
	if err != nil {
		return manifest, err
	}
	if err := os.RemoveAll(filepath.Dir(partials)); err != nil {
		return manifest, fmt.Errorf("the set is imported, but its download remains: %w", err)
	}
	return manifest, nil
}
