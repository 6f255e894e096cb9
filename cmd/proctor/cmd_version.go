package main

import (
	"cmp"
	"errors"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/runner/report/page"
)

// built describes how this copy of the program was built.
type built struct {
	Version      string            `json:"version"`
	Go           string            `json:"go"`
	OS           string            `json:"os"`
	Arch         string            `json:"arch"`
	Engine       string            `json:"engine"` // the built-in llama.cpp
	EngineCommit string            `json:"engine_commit"`
	Settings     map[string]string `json:"settings"`     // build settings, as in `go version -m`
	Dependencies []dependency      `json:"dependencies"` // sorted by path
}

type dependency struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Sum     string `json:"sum,omitempty"` // checksum of the module, as in go.sum
}

// versionCommand is `proctor version`, which people type besides --version.
func versionCommand(p *console.Program) *cli.Command {
	asJSON := false
	w := console.WordsOf("version")
	return w.Command(&cli.Command{
		Flags: []cli.Flag{w.Switch("json", &asJSON)},
		Action: func(c *cli.Context) error {
			switch {
			case c.Args().Present():
				return errors.New("version takes nothing but --json")
			case asJSON:
				return page.JSON(p.Stdout, thisCopy(p))
			}
			cli.ShowVersion(c)
			return nil
		},
	})
}

func thisCopy(p *console.Program) built {
	engine := registry.InProcess()
	b := built{
		Version: p.Version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Engine: engine.Version,
		EngineCommit: engine.Commit, Settings: map[string]string{}, Dependencies: []dependency{},
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, setting := range info.Settings {
		b.Settings[setting.Key] = setting.Value
	}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		b.Dependencies = append(b.Dependencies, dependency{module.Path, module.Version, module.Sum})
	}
	slices.SortFunc(b.Dependencies, func(a, b dependency) int { return cmp.Compare(a.Path, b.Path) })
	return b
}
