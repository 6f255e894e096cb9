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
func (r release) archive(image v1.Image) ([]byte, error) {
	folder, err := os.MkdirTemp("", "proctor-image-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	all, err := layout.Write(folder, empty.Index)
	if err != nil {
		return nil, err
	}
	err = all.AppendImage(image, layout.WithAnnotations(map[string]string{
		"io.containerd.image.name":          "docker.io/library/proctor:" + r.version,
		"org.opencontainers.image.ref.name": r.version,
	}))
	if err != nil {
		return nil, err
	}
	content, err := readFolder(folder)
	if err != nil {
		return nil, err
	}
	manifest, err := r.dockerManifest(image)
	if err != nil {
		return nil, err
	}
	content["manifest.json"] = text(manifest)
	var packed bytes.Buffer
	err = content.tar(&packed, "", r.time)
	return packed.Bytes(), err
}

// dockerManifest is docker's list of the images in an archive.
func (r release) dockerManifest(image v1.Image) ([]byte, error) {
	config, err := image.ConfigName()
	if err != nil {
		return nil, err
	}
	layers, err := image.Layers()
	if err != nil {
		return nil, err
	}
	one := tarball.Descriptor{Config: blob(config), RepoTags: []string{"proctor:" + r.version}}
	for _, layer := range layers {
		digest, err := layer.Digest()
		if err != nil {
			return nil, err
		}
		one.Layers = append(one.Layers, blob(digest))
	}
	return json.Marshal(tarball.Manifest{one})
}

// blob is where an OCI layout has the content of a hash.
func blob(hash v1.Hash) string { return strings.Join([]string{"blobs", hash.Algorithm, hash.Hex}, "/") }
