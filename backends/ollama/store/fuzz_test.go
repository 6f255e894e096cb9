package store

import (
	"path/filepath"
	"strings"
	"testing"
)

// FuzzManifest holds that a manifest, whatever is in it, leads to files of the store's own blobs or to an error.
func FuzzManifest(f *testing.F) {
	digest := "sha256:" + strings.Repeat("ab", 32)
	for _, seed := range []string{
		`{"schemaVersion":2,"config":{"digest":"` + digest + `","size":1},` +
			`"layers":[{"mediaType":"` + mediaWeights + `","digest":"` + digest + `","size":0}]}`,
		`{"layers":[{"mediaType":"` + mediaWeights + `","digest":"sha256-` + strings.Repeat("00", 32) + `","size":3},` +
			`{"mediaType":"` + mediaAdapter + `","digest":"` + digest + `"}]}`,
		`{"layers":[{"mediaType":"` + mediaWeights + `","digest":"sha256:/../../../../etc/passwd","size":1}]}`,
		`{"layers":[{"mediaType":"` + mediaWeights + `","digest":"","size":-9223372036854775808}]}`,
		`{"layers":null}`, `[]`, `null`, `{`, "", "\x00", `{"layers":[{}]}`, `{"layers":[{"size":1e400}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		list, err := parseManifest(content)
		if err != nil {
			return
		}
		for _, l := range list.Layers {
			if path := l.path("store"); filepath.Dir(path) != filepath.Join("store", "blobs") || l.Size < 0 {
				t.Errorf("%+v is at %s", l, path)
			}
		}
	})
}
