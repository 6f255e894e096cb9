package registry

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"proctor/backends/setting"
)

// hubPrefix begins the name of a model in the cache of Hugging Face's programs: hf:USER/REPO:TYPE, as llama.cpp's -hf takes it.
const hubPrefix = "hf:"

// hubFile finds the file in the cache that a name means, in the revision that is the newest there. TYPE is a part of its name, and may be
// missing where the repository has one GGUF file alone. Nothing is fetched.
func hubFile(ref string) (string, error) {
	repository, kind, _ := strings.Cut(strings.TrimPrefix(ref, hubPrefix), ":")
	user, name, whole := strings.Cut(repository, "/")
	if !whole || user == "" || name == "" || strings.ContainsAny(name, `/\`) || strings.Contains(repository, "..") {
		return "", fmt.Errorf("%s: write %sUSER/REPO:TYPE, as in hf:bartowski/Qwen3-8B-GGUF:Q4_K_M", ref, hubPrefix)
	}
	cache, err := hubCache()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "models--"+user+"--"+name)
	all, err := filesOf(snapshot(folder))
	if err != nil || len(all) == 0 {
		return "", fmt.Errorf("%s: %s has no GGUF file of it: fetch it first (%s), or give a file's path", ref, cache,
			setting.Command("hf", "download", repository, "--include", "*"+kind+"*.gguf"))
	}
	meant := slices.DeleteFunc(slices.Clone(all), func(path string) bool {
		return !strings.Contains(strings.ToLower(filepath.Base(path)), strings.ToLower(kind))
	})
	if exact := slices.IndexFunc(meant, func(path string) bool { return ends(path, kind) }); exact >= 0 && kind != "" {
		return meant[exact], nil
	}
	if len(meant) == 1 {
		return meant[0], nil
	}
	var names []string
	for _, path := range all {
		names = append(names, filepath.Base(path))
	}
	return "", fmt.Errorf("%s: %d of the files that are there fit; name one by its TYPE: %s", ref, len(meant), english.WordSeries(names, "and"))
}

// ends says whether a file's name, or that of the first of its parts, ends in a type: m-Q4_K_M.gguf, m-Q4_K_M-00001-of-00002.gguf.
func ends(path, kind string) bool {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".gguf")
	whole, _, _ := strings.Cut(name, "-00001-of-")
	return strings.HasSuffix(whole, "-"+strings.ToLower(kind)) || strings.HasSuffix(whole, "."+strings.ToLower(kind))
}

// hubCache is the folder where Hugging Face's programs keep what they fetch.
func hubCache() (string, error) {
	if folder := os.Getenv("HF_HUB_CACHE"); folder != "" {
		return folder, nil
	}
	home := os.Getenv("HF_HOME")
	if home == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		home = filepath.Join(user, ".cache", "huggingface")
	}
	return filepath.Join(home, "hub"), nil
}

// snapshot is the folder of a repository's revision: the main one as it was fetched, else the one that was fetched last.
func snapshot(repository string) string {
	if revision, err := os.ReadFile(filepath.Join(repository, "refs", "main")); err == nil {
		return filepath.Join(repository, "snapshots", filepath.Base(strings.TrimSpace(string(revision))))
	}
	all, _ := filepath.Glob(filepath.Join(repository, "snapshots", "*"))
	if len(all) == 0 {
		return filepath.Join(repository, "snapshots")
	}
	return slices.MaxFunc(all, func(a, b string) int { return cmp.Compare(changedAt(a), changedAt(b)) })
}

func changedAt(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}

// filesOf are the models' files in and below a folder, of a split one its first part.
func filesOf(folder string) (all []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.ToLower(entry.Name())
		further := strings.Contains(name, "-of-") && !strings.Contains(name, "-00001-of-")
		if strings.HasSuffix(name, ".gguf") && !further && !strings.HasPrefix(name, "mmproj") {
			all = append(all, path)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return all, err
}
