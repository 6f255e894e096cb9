package main

import (
	"bytes"
	"encoding/json"
)

// sbom is the program's bill of materials in CycloneDX JSON: what cyclonedx-gomod finds in the program, and what is not
// Go.
func (r release) sbom(program string, parts []component) []byte {
	// The tool runs on this machine, whatever the program is for.
	listed := r.run("env", "-u", "GOOS", "-u", "GOARCH", "CGO_ENABLED=0", "go", "tool", "-modfile", "scripts/sbom/go.mod",
		"cyclonedx-gomod",
		"bin", "-json", "-licenses", "-assert-licenses", "-noserial", "-notimestamp", "-output-version", "1.5",
		"-disable-html-escape",
		"-version", r.version, program)
	return withParts(listed, parts)
}

// terms are a licence, or several, as CycloneDX has them.
func terms(expression string) []any { return []any{map[string]any{"expression": expression}} }

// withParts adds to a bill the parts that no Go module is, with their licences.
func withParts(listed []byte, parts []component) []byte {
	var bill map[string]any
	check(json.Unmarshal(listed, &bill))
	if about, has := bill["metadata"].(map[string]any); has {
		delete(about, "tools") // the sum of the tool's own binary, which may be another one on another machine
		if self, has := about["component"].(map[string]any); has {
			self["licenses"] = terms("MIT")
		}
	}
	components, _ := bill["components"].([]any)
	for _, part := range parts {
		if part.terms != "" {
			components = append(components, map[string]any{
				"bom-ref": part.purl, "type": "library", "name": part.name, "version": part.version, "purl": part.purl,
				"licenses": terms(part.terms),
			})
		}
	}
	bill["components"] = components
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	check(encoder.Encode(bill))
	return out.Bytes()
}
