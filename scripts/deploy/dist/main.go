// Command dist makes what people install, for make dist and make image: a tarball with the program, which needs nothing but
// Linux with an old enough C library, and from the same bytes a container image.
//
//	go run ./scripts/deploy/dist -version 1.0 [-goarch amd64] [-time 1700000000] [-o build/dist] tarball|image
//
// The same sources, with the same compilers, make the same bytes, wherever and whenever: nothing in them knows the folder,
// the user or the hour. What the C compiler is given comes from the environment, as make exports it.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// release is one version of the program for one kind of machine.
type release struct {
	version string
	arch    string    // as Go calls it: amd64, arm64
	time    time.Time // of every file, UTC
	folder  string    // where the results go
}

// name is the name of the tarball's only folder.
func (r release) name() string { return "proctor-" + r.version + "-linux-" + r.arch }

// tarball and image are the files to make.
func (r release) tarball() string { return filepath.Join(r.folder, r.name()+".tar.gz") }
func (r release) image() string   { return filepath.Join(r.folder, r.name()+".image.tar") }

// versions matches versions that can be part of a file's name, and of an image's tag.
var versions = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,100}$`)

func main() {
	version := flag.String("version", "", "the `version`, as `proctor --version` will print it")
	arch := flag.String("goarch", runtime.GOARCH, "the `architecture` to build for")
	seconds := flag.Int64("time", 0, "when all files were changed, in `seconds` since 1970")
	folder := flag.String("o", "build/dist", "the `folder` to write to")
	flag.Parse()
	r := release{version: *version, arch: *arch, time: time.Unix(*seconds, 0).UTC(), folder: *folder}
	if err := caught(func() { r.make(flag.Args()) }); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(2)
	}
}

func (r release) make(arguments []string) {
	makes := map[string]func(){"tarball": r.makeTarball, "image": r.makeImage}[strings.Join(arguments, " ")]
	switch {
	case !versions.MatchString(r.version):
		check(fmt.Errorf("-version %q: give one of letters, digits, and _ . - within", r.version))
	case makes == nil:
		check(fmt.Errorf("%q can't be made: say tarball or image", arguments))
	}
	check(os.MkdirAll(r.folder, 0o755))
	makes()
}
