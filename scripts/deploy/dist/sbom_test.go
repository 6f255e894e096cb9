package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	"gotest.tools/v3/assert"
)

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
