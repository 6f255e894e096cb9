package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"gotest.tools/v3/assert"
)

// imageOf makes an image of a tarball whose program is a small one, and returns the file's path.
func imageOf(t *testing.T) (release, string) {
	t.Helper()
	r := release{version: "1.2", arch: runtime.GOARCH, time: when, folder: t.TempDir()}
	program := filepath.Join(t.TempDir(), "program")
	command := exec.Command("gcc", "-x", "c", "-", "-o", program)
	command.Stdin = strings.NewReader("#include <stdio.h>\nint main() { return puts(\"runs\") < 0; }\n")
	out, err := command.CombinedOutput()
	assert.NilError(t, err, "%s", out)
	content, err := os.ReadFile(program)
	assert.NilError(t, err)
	var packed bytes.Buffer
	files{"proctor": {content: content, mode: 0o755}}.tarGz(&packed, r.name(), when)
	assert.NilError(t, os.WriteFile(r.tarball(), packed.Bytes(), 0o644))
	r.makeImage()
	return r, r.image()
}

// The file is both an OCI layout and docker's archive, of the same image.
func TestImage(t *testing.T) {
	r, name := imageOf(t)
	docker, err := tarball.ImageFromPath(name, nil)
	assert.NilError(t, err)
	assert.NilError(t, validate.Image(docker))

	folder := t.TempDir()
	out, err := exec.Command("tar", "-xf", name, "-C", folder).CombinedOutput()
	assert.NilError(t, err, "%s", out)
	index, err := layout.ImageIndexFromPath(folder)
	assert.NilError(t, err)
	assert.NilError(t, validate.Index(index))
	manifest, err := index.IndexManifest()
	assert.NilError(t, err)
	assert.Equal(t, len(manifest.Manifests), 1)
	assert.Equal(t, manifest.Manifests[0].Annotations["io.containerd.image.name"], "docker.io/library/proctor:1.2")
	image, err := index.Image(manifest.Manifests[0].Digest)
	assert.NilError(t, err)
	kind, err := image.MediaType()
	assert.NilError(t, err)
	assert.Equal(t, kind, types.OCIManifestSchema1)

	for _, each := range []v1.Image{docker, image} {
		config, err := each.ConfigFile()
		assert.NilError(t, err)
		assert.Equal(t, config.Architecture+" "+config.OS, runtime.GOARCH+" linux")
		assert.Equal(t, config.Config.User, "65532:65532")
		assert.DeepEqual(t, config.Config.Entrypoint, []string{"/opt/proctor/proctor"})
		assert.Equal(t, len(config.Config.Volumes), 3)
		assert.Equal(t, len(config.RootFS.DiffIDs), 2)
	}
	var list tarball.Manifest
	content, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	assert.NilError(t, err)
	assert.NilError(t, json.Unmarshal(content, &list))
	assert.DeepEqual(t, list[0].RepoTags, []string{"proctor:1.2"})

	first, err := os.ReadFile(name)
	assert.NilError(t, err)
	r.makeImage()
	again, err := os.ReadFile(name)
	assert.NilError(t, err)
	assert.Assert(t, bytes.Equal(first, again), "the same tarball makes another image")
}

// The layers suffice to run the program, with the loader that they hold.
func TestImageHasWhatTheProgramNeeds(t *testing.T) {
	_, name := imageOf(t)
	image, err := tarball.ImageFromPath(name, nil)
	assert.NilError(t, err)
	layers, err := image.Layers()
	assert.NilError(t, err)
	root := t.TempDir()
	for _, layer := range layers {
		content, err := layer.Uncompressed()
		assert.NilError(t, err)
		command := exec.Command("tar", "-xf", "-", "-C", root)
		command.Stdin = content
		out, err := command.CombinedOutput()
		assert.NilError(t, err, "%s", out)
	}
	loaders, err := filepath.Glob(root + "/lib64/ld-linux*")
	assert.NilError(t, err)
	assert.Equal(t, len(loaders), 1)
	out, err := exec.Command(loaders[0], "--inhibit-cache", "--library-path", root+"/lib", root+"/opt/proctor/proctor").CombinedOutput()
	assert.NilError(t, err, "%s", out)
	assert.Equal(t, string(out), "runs\n")
	for _, folder := range written {
		found, err := os.Stat(filepath.Join(root, folder))
		assert.NilError(t, err)
		assert.Equal(t, found.Mode(), os.ModeDir|os.ModeSticky|0o777)
	}
	source, err := os.ReadFile(root + "/usr/share/doc/glibc/SOURCE")
	assert.NilError(t, err)
	assert.Assert(t, strings.Contains(string(source), "GNU C Library ("), "%s", source)
}

func TestImageWithoutTarball(t *testing.T) {
	r := release{version: "1.2", arch: runtime.GOARCH, folder: t.TempDir()}
	assert.ErrorContains(t, caught(r.makeImage), "make the tarball first")
	assert.NilError(t, os.WriteFile(r.tarball(), []byte("not a tarball"), 0o644))
	assert.ErrorContains(t, caught(r.makeImage), r.tarball()+": ")
}
