package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// archive is an image in one file that is both an OCI layout and what docker load has always read, as docker save writes
// it: the manifest of the latter points to the blobs of the former.
func (r release) archive(image v1.Image) []byte {
	folder := must(os.MkdirTemp("", "proctor-image-"))
	defer os.RemoveAll(folder)
	check(must(layout.Write(folder, empty.Index)).AppendImage(image, layout.WithAnnotations(map[string]string{
		"io.containerd.image.name":          "docker.io/library/proctor:" + r.version,
		"org.opencontainers.image.ref.name": r.version,
	})))
	content := files{}
	content.readAll(folder, folder)
	content["manifest.json"] = text(r.dockerManifest(image))
	var packed bytes.Buffer
	content.tar(&packed, "", r.time)
	return packed.Bytes()
}

// dockerManifest is docker's list of the images in an archive.
func (r release) dockerManifest(image v1.Image) []byte {
	one := tarball.Descriptor{Config: blob(must(image.ConfigName())), RepoTags: []string{"proctor:" + r.version}}
	for _, layer := range must(image.Layers()) {
		one.Layers = append(one.Layers, blob(must(layer.Digest())))
	}
	return must(json.Marshal(tarball.Manifest{one}))
}

// blob is where an OCI layout has the content of a hash.
func blob(hash v1.Hash) string { return strings.Join([]string{"blobs", hash.Algorithm, hash.Hex}, "/") }
