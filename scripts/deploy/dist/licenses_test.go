package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	"gotest.tools/v3/assert"
)

func TestLicensed(t *testing.T) {
	for name, want := range map[string]bool{
		"LICENSE": true, "LICENCE.md": true, "license.txt": true, "LICENSE-MIT": true, "COPYING": true, "COPYING.LESSER": true,
		"NOTICE": true, "PATENTS": true, "UNLICENSE": true, "Copyright": true, "THIRD_PARTY_LICENSES": true,
		"licensee.txt": false, "README.md": false, "CONTRIBUTING.md": false, "notices": false,
	} {
		assert.Equal(t, licensed.MatchString(name), want, name)
	}
}

const grant = "Permission is hereby granted, free of charge"

// lay writes files and returns their folder.
func lay(t *testing.T, contents map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range contents {
		name = filepath.Join(root, name)
		assert.NilError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		assert.NilError(t, os.WriteFile(name, []byte(content), 0o644))
	}
	return root
}

// Only the program's packages count: their folders, the folders above, and the heads of their C sources.
func TestModuleTexts(t *testing.T) {
	root := lay(t, map[string]string{
		"LICENSE":                        "of all",
		"used/NOTICE":                    "of what is used",
		"used/deep/license.go":           "package deep",
		"used/deep/granted.cpp":          "// Copyright somebody\n//\n// " + grant + "\n\n#include <x>\n// " + grant + "\n",
		"used/deep/plain.c":              "#include <x>\n// " + grant + "\n",
		"unused/LICENSE":                 "of what is not used",
		"THIRD_PARTY_LICENSES/x-LICENSE": "of x",
	})
	module := &struct{ Path, Version, Dir string }{"example.org/m", "v1.0.0", root}
	texts := moduleTexts([]sourcePackage{
		{Dir: "/nowhere/std", Standard: true},
		{Dir: filepath.Join(root, "used", "deep"), Module: module, CFiles: []string{"plain.c"}, CXXFiles: []string{"granted.cpp"}},
		{Dir: root, Module: module},
	})
	of := texts["example.org/m"]
	assert.DeepEqual(t, slices.Sorted(maps.Keys(of)), []string{
		"LICENSE", "THIRD_PARTY_LICENSES/x-LICENSE", "used/NOTICE", "used/deep/granted.cpp.LICENSE",
	})
	assert.Equal(t, string(of["used/deep/granted.cpp.LICENSE"].content), "Copyright somebody\n\n"+grant+"\n")
}

func TestInstalledTexts(t *testing.T) {
	root := lay(t, map[string]string{"lib/copyright": "the terms of lib", "other/COPYING.LIB": "more", "other/COPYING": "most"})
	texts := installedTexts("lib", "terms of lib", root+"/absent/*", root+"/lib/copyright", root+"/other/COPYING*")
	assert.DeepEqual(t, slices.Sorted(maps.Keys(texts)), []string{"lib/copyright", "other/COPYING", "other/COPYING.LIB"})
	err := caught(func() { installedTexts("lib", "terms of lib", root+"/other/COPYING*", "/absent") })
	assert.ErrorContains(t, err, "the licence of lib is on this machine in none of "+root+"/other/COPYING*, /absent: install")
}

func TestLicences(t *testing.T) {
	own, err := os.ReadFile("../../../LICENSE")
	assert.NilError(t, err)
	both := files{"LICENSE": text(own), "README": text([]byte("see http://www.apache.org/licenses/LICENSE-2.0"))}
	assert.DeepEqual(t, both.licences(), []string{"MIT"})
	assert.Equal(t, len(files{"LICENSE": text([]byte(strings.Repeat("all rights reserved ", 20)))}.licences()), 0)
}

// A bill of materials, as CycloneDX's library reads it.
func TestSBOM(t *testing.T) {
	own, err := os.ReadFile("../../../LICENSE")
	assert.NilError(t, err)
	r := release{version: "1.2", arch: "amd64", time: when}
	library := release{arch: "amd64"}.goTexts()
	texts := files{"LICENSE": text(own)}
	parts := []component{
		{name: "std", version: "1.26.0", purl: "pkg:golang/std@1.26.0", texts: library},
		{name: "example.org/m", version: "v1.0.0", purl: "pkg:golang/example.org/m@v1.0.0", sum: "h1:abc=", texts: texts},
		{name: "gcc-runtime", version: "12", texts: texts, terms: "GPL-3.0-or-later WITH GCC-exception-3.1"},
	}
	content, again := r.sbom([]byte("program"), parts), r.sbom([]byte("program"), parts)
	assert.Equal(t, string(content), string(again))

	var bill cyclonedx.BOM
	assert.NilError(t, cyclonedx.NewBOMDecoder(bytes.NewReader(content), cyclonedx.BOMFileFormatJSON).Decode(&bill))
	assert.Equal(t, bill.SpecVersion, cyclonedx.SpecVersion1_5)
	assert.Equal(t, bill.Metadata.Timestamp, "2023-11-14T22:13:20Z")
	self := bill.Metadata.Component
	assert.Equal(t, self.Name+" "+self.Version, "proctor 1.2")
	// sha256sum of "program"
	assert.Equal(t, (*self.Hashes)[0].Value, "1310ca2c8932dbd118668bd97442558a3e1f546b5e15c69699dfbd6024f548d8")
	assert.Equal(t, len(*bill.Components), 3)
	std := *(*bill.Components)[0].Licenses
	assert.Equal(t, std[0].License.ID+" "+std[1].License.Name, "BSD-3-Clause GooglePatentsFile")
	module := (*bill.Components)[1]
	assert.Equal(t, module.PackageURL, "pkg:golang/example.org/m@v1.0.0")
	assert.Equal(t, (*module.Licenses)[0].License.ID, "MIT")
	assert.Equal(t, (*(*bill.Components)[2].Licenses)[0].Expression, "GPL-3.0-or-later WITH GCC-exception-3.1")
	assert.Equal(t, (*module.Properties)[0].Value, "h1:abc=")
	assert.DeepEqual(t, *(*bill.Dependencies)[0].Dependencies, []string{"std@1.26.0", "example.org/m@v1.0.0", "gcc-runtime@12"})
}
