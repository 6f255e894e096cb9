package main

import (
	"bytes"
	"debug/elf"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// home is where the image has the tarball's folder.
const home = "opt/proctor"

// user is nobody who has a name on the host.
const user = "65532:65532"

// written are the folders that the program writes to, which are volumes: the rest of the image can be read-only. Everybody
// may write there, so that the image runs as any user.
var written = []string{"proctor", "data", "tmp"}

// makeImage writes the container image of the tarball that lies in the folder.
func (r release) makeImage() {
	packed, err := os.ReadFile(r.tarball())
	if err != nil {
		check(fmt.Errorf("%w: make the tarball first", err))
	}
	program := readTarGz(r.tarball(), bytes.NewReader(packed), r.name())
	content := r.archive(r.build(r.system(program), program))
	write(r.image(), content)
	fmt.Printf("%s: %.1f MB, proctor:%s: docker load -i it, or read it as an OCI layout\n", r.image(), float64(len(content))/1e6, r.version)
}

// system has the files that the program needs: this machine's C library, and the files that the library reads.
func (r release) system(program files) files {
	all := files{
		"etc/passwd":        text([]byte("root:x:0:0:root:/:/none\nproctor:x:65532:65532:proctor:/data:/none\n")),
		"etc/group":         text([]byte("root:x:0:\nproctor:x:65532:\n")),
		"etc/nsswitch.conf": text([]byte("hosts: files dns\n")),
	}
	for _, folder := range written {
		all[folder] = file{mode: fs.ModeDir | fs.ModeSticky | 0o777}
	}
	// All paths where the distribution's loader looks lead to this folder.
	for link, to := range map[string]string{"lib": "usr/lib", "lib64": "usr/lib", "usr/lib64": "lib"} {
		all[link] = file{content: []byte(to), mode: fs.ModeSymlink | 0o777}
	}
	for _, library := range imported(program["proctor"].content) {
		content, err := os.ReadFile(r.line(r.compiler()[0], append(r.compiler()[1:], "-print-file-name="+library)...))
		if err != nil {
			check(fmt.Errorf("the image needs the C library: %w", err))
		}
		all["usr/lib/"+library] = file{content: content, mode: 0o755}
	}
	glibcTexts(all)
	return all
}

// imported are the libraries that a program needs, with the loader.
func imported(program []byte) []string {
	binary := must(elf.NewFile(bytes.NewReader(program)))
	loader := binary.Section(".interp")
	if loader == nil {
		check(errors.New("the program names no loader: it is linked statically"))
	}
	name := bytes.TrimRight(must(loader.Data()), "\x00")
	return append(must(binary.ImportedLibraries()), path.Base(string(name)))
}

// glibcTexts adds the C library's terms, which ask that its source can be had.
func glibcTexts(all files) {
	const folder = "usr/share/doc/glibc/"
	for name, content := range installedTexts("glibc", "Lesser General Public License",
		"/usr/share/doc/libc6/copyright", "/usr/share/common-licenses/LGPL-2.1", // Debian
		"/usr/share/licenses/glibc/COPYING*") { // Fedora
		all[folder+name] = content
	}
	library := all["usr/lib/libc.so.6"].content
	start := bytes.Index(library, []byte("GNU C Library ("))
	if start < 0 {
		check(errors.New("libc.so.6 does not say which version it is, as glibc does"))
	}
	banner, _, _ := bytes.Cut(library[start:], []byte("\n"))
	all[folder+"SOURCE"] = text(fmt.Appendf(nil, sourceText, banner))
}

// sourceText says where the source is of what was not compiled here.
//
//go:embed source.txt
var sourceText string

// build lays the files into an image: a layer for the system, which rarely changes, and one for the program.
func (r release) build(system, program files) v1.Image {
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	volumes := map[string]struct{}{}
	for _, folder := range written {
		volumes["/"+folder] = struct{}{}
	}
	image = must(mutate.ConfigFile(image, &v1.ConfigFile{
		Architecture: r.arch, OS: "linux", Created: v1.Time{Time: r.time}, RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User: user, WorkingDir: "/proctor", Volumes: volumes,
			Entrypoint: []string{"/" + home + "/proctor"}, Cmd: []string{"--help"},
			Env: []string{
				"PATH=/" + home, "HOME=/data", "PROCTOR_DATA=/data/proctor", "XDG_CACHE_HOME=/data/cache", "TMPDIR=/tmp",
			},
			Labels: map[string]string{
				"org.opencontainers.image.title": "proctor", "org.opencontainers.image.version": r.version,
				"org.opencontainers.image.licenses": "MIT AND LGPL-2.1-or-later",
			},
		},
	}))
	for _, part := range []struct {
		files
		under, what string
	}{{system, "", "the C library"}, {program, home, "proctor " + r.version}} {
		image = must(mutate.Append(image, mutate.Addendum{
			Layer: r.layer(part.files, part.under), MediaType: types.OCILayer,
			History: v1.History{Created: v1.Time{Time: r.time}, CreatedBy: part.what},
		}))
	}
	return image
}

func (r release) layer(f files, under string) v1.Layer {
	var packed bytes.Buffer
	f.tar(&packed, under, r.time)
	return must(tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(packed.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer)))
}

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
func blob(hash v1.Hash) string { return "blobs/" + hash.Algorithm + "/" + hash.Hex }
