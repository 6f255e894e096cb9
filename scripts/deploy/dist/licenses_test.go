package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

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

func TestTheBillHasWhatIsNotGo(t *testing.T) {
	const listed = `{"bomFormat":"CycloneDX","metadata":{"tools":{"components":[{"name":"cyclonedx-gomod"}]},"component":{"name":"proctor"}},
		"components":[{"name":"example.org/m"}]}`
	content := withParts([]byte(listed), []component{
		{name: "example.org/m", version: "v1.0.0"},
		{name: "gcc-runtime", version: "12", purl: "pkg:generic/gcc@12", terms: "GPL-3.0-or-later"},
	})
	var bill struct {
		Metadata   map[string]any
		Components []struct {
			Name, Version, Purl string
			Licenses            []struct{ Expression string }
		}
	}
	assert.NilError(t, json.Unmarshal(content, &bill))
	assert.Check(t, len(bill.Metadata) == 1 && len(bill.Components) == 2 &&
		bill.Components[0].Name == "example.org/m", "%s", content)
	gcc := bill.Components[1]
	assert.Check(t, gcc.Name == "gcc-runtime" && gcc.Purl == "pkg:generic/gcc@12" &&
		gcc.Licenses[0].Expression == "GPL-3.0-or-later", "%+v", gcc)
}
