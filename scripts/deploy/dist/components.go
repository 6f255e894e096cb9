package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// engine is the module that carries llama.cpp and ggml.
const engine = "github.com/ollama/ollama"

// components returns what is in a program that compile built, by its own build information, with the licence texts.
func (r release) components(program string) []component {
	info := must(buildinfo.ReadFile(program))
	packages := r.packages()
	texts := moduleTexts(packages)
	version := strings.TrimPrefix(info.GoVersion, "go")
	all := []component{{name: "std", version: version, purl: "pkg:golang/std@" + version, terms: "BSD-3-Clause",
		texts: r.goTexts()}}
	for _, module := range info.Deps {
		own := texts[module.Path]
		if module.Path == engine {
			all = append(all, llamaComponents(packages, own)...)
		}
		if module.Replace != nil {
			module = module.Replace
		}
		all = append(all, component{name: module.Path, version: module.Version, texts: own})
	}
	all = append(all, r.gccComponent())
	for _, one := range all {
		if len(one.texts) == 0 {
			check(fmt.Errorf("%s %s: no licence file found: it can't be passed on", one.name, one.version))
		}
	}
	return all
}

// commit is where the engine's module says which llama.cpp it carries.
var commit = regexp.MustCompile(`LLAMA_COMMIT = "([0-9a-f]+)"`)

// llamaComponents are llama.cpp and ggml, which the engine's module has as copies.
func llamaComponents(packages []sourcePackage, texts files) []component {
	i := slices.IndexFunc(packages, func(p sourcePackage) bool { return p.Module != nil && p.Module.Path == engine })
	if i < 0 {
		check(fmt.Errorf("no package of %s is in the program", engine))
	}
	const says = "llama/build-info.cpp"
	found := commit.FindSubmatch(must(os.ReadFile(filepath.Join(packages[i].Module.Dir, says))))
	if found == nil {
		check(fmt.Errorf("%s: %s does not say which llama.cpp it is", engine, says))
	}
	version := string(found[1])
	purl := "pkg:github/ggml-org/llama.cpp@" + version
	return []component{
		{name: "llama.cpp", version: version, purl: purl, terms: "MIT", texts: texts.below("llama/llama.cpp/")},
		{name: "ggml", version: version, purl: purl + "#ggml", terms: "MIT", texts: texts.below("ml/backend/ggml/ggml/")},
	}
}

// below are the files of a folder, which ends in a slash.
func (f files) below(folder string) files {
	some := files{}
	for name, content := range f {
		if rest, is := strings.CutPrefix(name, folder); is {
			some[rest] = content
		}
	}
	return some
}

// gccComponent are GCC's libstdc++ and libgcc, which are linked statically: the GPL's exception allows it.
func (r release) gccComponent() component {
	version := r.line(r.compiler()[0], "-dumpfullversion", "-dumpversion")
	major, _, _ := strings.Cut(version, ".")
	return component{
		name: "gcc-runtime", version: version, purl: "pkg:generic/gcc@" + version, terms: "GPL-3.0-or-later WITH GCC-exception-3.1",
		texts: installedTexts("GCC's libraries", "GCC RUNTIME LIBRARY EXCEPTION",
			"/usr/share/doc/gcc-"+major+"-base/copyright", "/usr/share/common-licenses/GPL-3", // Debian
			"/usr/share/licenses/libstdc++/COPYING*", "/usr/share/licenses/libgcc/COPYING*"), // Fedora
	}
}
