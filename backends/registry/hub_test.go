package registry

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/scripts/tests/errortest"
)

func TestANameMeansAFileInHuggingFacesCache(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("HF_HUB_CACHE", cache)
	repository := filepath.Join(cache, "models--b--m-GGUF")
	for _, name := range []string{
		"old/m-Q8_0.gguf", "new/m-Q4_K_M.gguf", "new/m-Q4_K_S.gguf", "new/big/m-Q8_0-00001-of-00002.gguf", "new/big/m-Q8_0-00002-of-00002.gguf",
		"new/mmproj-m-f16.gguf", "new/README.md",
	} {
		path := filepath.Join(repository, "snapshots", name)
		assert.NilError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		assert.NilError(t, os.WriteFile(path, nil, 0o644))
	}
	assert.NilError(t, os.MkdirAll(filepath.Join(repository, "refs"), 0o755))
	assert.NilError(t, os.WriteFile(filepath.Join(repository, "refs", "main"), []byte("new"), 0o644))
	for ref, want := range map[string]string{
		"hf:b/m-GGUF:Q4_K_M": "new/m-Q4_K_M.gguf", "hf:b/m-GGUF:q4_k_s": "new/m-Q4_K_S.gguf",
		"hf:b/m-GGUF:Q8_0": "new/big/m-Q8_0-00001-of-00002.gguf", "hf:b/m-GGUF:k_m": "new/m-Q4_K_M.gguf",
	} {
		path, err := hubFile(ref)
		assert.Check(t, err == nil && path == filepath.Join(repository, "snapshots", want), "%s: %s, %v", ref, path, err)
	}
	for ref, says := range map[string]string{
		"hf:b/m-GGUF":      "3 of the files that are there fit; name one by its TYPE: m-Q4_K_M.gguf, m-Q4_K_S.gguf and m-Q8_0-00001-of-00002.gguf",
		"hf:b/m-GGUF:Q4":   "2 of the files that are there fit",
		"hf:b/m-GGUF:Q6_K": "0 of the files that are there fit",
		"hf:c/m:Q6_K":      "has no GGUF file of it: fetch it first (hf download c/m FILE.gguf)",
		"hf:m":             "write hf:USER/REPO:TYPE",
		"hf:../x:Q8_0":     "write hf:USER/REPO:TYPE",
		"hf:a/b/c:Q8_0":    "write hf:USER/REPO:TYPE",
		"hf:a/..:Q8_0":     "write hf:USER/REPO:TYPE",
	} {
		_, err := hubFile(ref)
		errortest.For(t, ref, err, ref+": ", says)
	}
	assert.NilError(t, os.RemoveAll(filepath.Join(repository, "refs")))
	path, err := hubFile("hf:b/m-GGUF:Q4_K_M")
	assert.Check(t, err == nil && strings.HasSuffix(path, "m-Q4_K_M.gguf"), "without refs/main all revisions are looked through: %s, %v", path, err)
}
