package bundle_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/ask/bundle"
)

// forged changes what a manifest says, and has the sums fit again.
func forged(t *testing.T, change func(*bundle.Manifest)) func([]entry) []entry {
	return func(all []entry) []entry {
		var m bundle.Manifest
		assert.NilError(t, json.Unmarshal(all[at(all, "manifest.json")].content, &m))
		change(&m)
		text, err := json.Marshal(m)
		assert.NilError(t, err)
		all[at(all, "manifest.json")].content = text
		all[at(all, "SHA256SUMS")].content = sumsOf(m, text)
		return all
	}
}

// sumsOf are the sums as a manifest and its text have them.
func sumsOf(m bundle.Manifest, text []byte) []byte {
	var sums bytes.Buffer
	for _, f := range append(m.Files, bundle.File{Path: "manifest.json", SHA256: fmt.Sprintf("%x", sha256.Sum256(text))}) {
		fmt.Fprintf(&sums, "%s  %s\n", f.SHA256, f.Path)
	}
	return sums.Bytes()
}

func TestAManifestNamesNothingBeyondTheBundle(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*bundle.Manifest)
		want   string
	}{
		"a set outside": {func(m *bundle.Manifest) { m.Data.Path = "../../outside" },
			`names the question set "mine" in "../../outside", which is not in the bundle`},
		"a set of another name": {func(m *bundle.Manifest) { m.Data.Name = "yours" }, `names the question set "yours" in "data/mine"`},
		"a set that is not there": {func(m *bundle.Manifest) { m.Data.Name, m.Data.Path = "yours", "data/yours" },
			`names the question set "yours" in "data/yours"`},
		"a set that is named as a path": {func(m *bundle.Manifest) { m.Data.Name, m.Data.Path = "../data/mine", "data/mine" },
			`names the question set "../data/mine" in "data/mine"`},
		"a set without a name":   {func(m *bundle.Manifest) { m.Data.Name, m.Data.Path = "", "data" }, `names the question set ""`},
		"a model outside":        {func(m *bundle.Manifest) { m.Models[0].Path = "../../outside" }, `names the model "../../outside"`},
		"a model from the root":  {func(m *bundle.Manifest) { m.Models[0].Path = "/etc/passwd" }, `names the model "/etc/passwd"`},
		"a model with a detour":  {func(m *bundle.Manifest) { m.Models[0].Path = "models/../models/a.gguf" }, "names the model"},
		"a model without a name": {func(m *bundle.Manifest) { m.Models[0].Path = "" }, `names the model ""`},
		"no model":               {func(m *bundle.Manifest) { m.Models[0].Path = "data/mine/test.jsonl" }, "names the model"},
		"an engine outside": {func(m *bundle.Manifest) { m.Engines = []bundle.Engine{{Name: "b1", Path: "../../outside"}} },
			`names the engine "b1" in "../../outside", which is not in the bundle`},
		"an engine that is not there": {func(m *bundle.Manifest) { m.Engines = []bundle.Engine{{Name: "b1", Path: "engines/b1"}} },
			`names the engine "b1" in "engines/b1"`},
		"another program":       {func(m *bundle.Manifest) { m.Program.Path = "models/a.gguf" }, `names the program "models/a.gguf"`},
		"a size that is not so": {func(m *bundle.Manifest) { m.Files[1].Bytes = 1 << 40 }, `says that "data/mine/test.jsonl" has 1099511627776`},
		"a negative size": {func(m *bundle.Manifest) { m.Files[1].Bytes = -1 },
			`says that "data/mine/test.jsonl" has -1 bytes, it has 9`},
		"a file twice": {func(m *bundle.Manifest) { m.Files = append(m.Files, m.Files[0]) }, `lists "proctor" twice`},
	} {
		path, _ := written(t)
		changed(t, path, forged(t, test.change))
		checked, err := bundle.Check(t.Context(), path, quiet)
		assert.Check(t, err == nil && len(checked.Problems) == 1 && checked.Problems[0].Path == "manifest.json" &&
			strings.HasPrefix(checked.Problems[0].What, test.want), "%s: %+v, %v", name, checked.Problems, err)
	}
}

// FuzzManifest reads bundles with arbitrary manifests, whose sums fit: problems, or all that they name is there.
func FuzzManifest(f *testing.F) {
	listed := func(path string, content []byte) string {
		return fmt.Sprintf(`{"path":%q,"size_bytes":%d,"sha256":"%x"}`, path, len(content), sha256.Sum256(content))
	}
	f.Add([]byte(`{"format":1,"program":{"path":"proctor"},"data":{"name":"mine","path":"data/mine"},` +
		`"models":[{"path":"models/a.gguf"}],"files":[` + listed("proctor", []byte("run")) + "," + listed("data/mine/test.jsonl", nil) + "," +
		listed("models/a.gguf", nil) + `]}`))
	f.Add([]byte(`{"format":1,"data":{"name":"mine","path":"../../outside"},"models":[{"path":"../../etc/passwd"}],"files":[]}`))
	f.Add([]byte(`{"format":1,"data":{"name":"..","path":"data/.."},"models":[{"path":"models/"},{"path":"models/\u0000"}]}`))
	f.Add([]byte(`{"format":9,"files":[{"path":"/etc/passwd","size_bytes":-1},{"path":"a\\b"},{"path":"a\nb"}]}`))
	f.Add([]byte(`{"files":[{"path":"models/a.gguf"},{"path":"MODELS/A.GGUF"},{"path":"models/a.gguf"}],"models":null}`))
	f.Add([]byte(`[{}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var m bundle.Manifest
		_ = json.Unmarshal(text, &m)
		path := filepath.Join(t.TempDir(), "b.tar")
		var all []entry
		for _, name := range []string{"proctor", "data/mine/test.jsonl", "models/a.gguf", "manifest.json", "SHA256SUMS"} {
			content := map[string][]byte{"proctor": []byte("run"), "manifest.json": text, "SHA256SUMS": sumsOf(m, text)}[name]
			all = append(all, entry{tar.Header{Typeflag: tar.TypeReg, Name: bundle.Folder + "/" + name}, content})
		}
		pack(t, path, all)
		_, _, err := bundle.Unpack(t.Context(), path, t.TempDir(), func(folder string, m bundle.Manifest) error {
			named := []string{m.Program.Path}
			for _, model := range m.Models {
				named = append(named, model.Path)
			}
			for _, f := range m.Files {
				named = append(named, f.Path)
			}
			for _, name := range named {
				_, err := fs.Stat(os.DirFS(folder), name)
				assert.Check(t, err == nil, "%q is named: %v", name, err)
			}
			assert.Check(t, m.Data == nil || m.Data.Path == "data/mine", "the set lies in %+v", m.Data)
			return nil
		}, quiet)
		assert.Check(t, err == nil || strings.Contains(err.Error(), "newer proctor"), "%v", err)
	})
}
