package registry

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"proctor/backends/setting"
)

// hubPrefix begins the name of a model in the cache of Hugging Face's programs: hf:USER/REPO:TYPE, as llama.cpp's -hf takes it.
const hubPrefix = "hf:"

var hubName = regexp.MustCompile(`^hf:(\w[\w.-]*)/(\w[\w.-]*)(?::([\w.-]+))?$`)

// hubFile finds the file in the cache that a name means, in the repository's main revision. TYPE is a part of its name, and may be missing
// where the repository has one GGUF file alone. Nothing is fetched.
func hubFile(ref string) (string, error) {
	parts := hubName.FindStringSubmatch(ref)
	if parts == nil {
		return "", fmt.Errorf("%s: write %sUSER/REPO:TYPE, as in hf:bartowski/Qwen3-8B-GGUF:Q4_K_M", ref, hubPrefix)
	}
	user, name, kind := parts[1], parts[2], strings.ToLower(parts[3])
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	cache := cmp.Or(os.Getenv("HF_HUB_CACHE"), filepath.Join(cmp.Or(os.Getenv("HF_HOME"), filepath.Join(home, ".cache", "huggingface")), "hub"))
	all := snapshot(filepath.Join(cache, "models--"+user+"--"+name))
	if len(all) == 0 {
		return "", fmt.Errorf("%s: %s has no GGUF file of it: fetch it first (%s), or give a file's path", ref, cache,
			setting.Command("hf", "download", user+"/"+name, "FILE.gguf"))
	}
	var has, ends, names []string
	for _, path := range all {
		names = append(names, filepath.Base(path))
		whole, _, _ := strings.Cut(strings.ToLower(filepath.Base(path)), "-00001-of-")
		if whole = strings.TrimSuffix(whole, ".gguf"); strings.Contains(whole, kind) {
			has = append(has, path)
		}
		if strings.HasSuffix(whole, "-"+kind) || strings.HasSuffix(whole, "."+kind) {
			ends = append(ends, path)
		}
	}
	for _, meant := range [][]string{ends, has} {
		if len(meant) == 1 {
			return meant[0], nil
		}
	}
	return "", fmt.Errorf("%s: %d of the files that are there fit; name one by its TYPE: %s", ref, len(has), english.WordSeries(names, "and"))
}

// snapshot lists the models' files in a repository's main revision (in all revisions where the main one is unknown); of a split model the first.
func snapshot(repository string) (all []string) {
	revision, err := os.ReadFile(filepath.Join(repository, "refs", "main"))
	main := filepath.Base(strings.TrimSpace(string(revision)))
	if err != nil {
		main = "*"
	}
	for _, depth := range []string{"*.gguf", filepath.Join("*", "*.gguf")} {
		found, _ := filepath.Glob(filepath.Join(repository, "snapshots", main, depth))
		all = append(all, found...)
	}
	return slices.DeleteFunc(all, func(path string) bool {
		name := strings.ToLower(filepath.Base(path))
		return strings.HasPrefix(name, "mmproj") || strings.Contains(name, "-of-") && !strings.Contains(name, "-00001-of-")
	})
}
