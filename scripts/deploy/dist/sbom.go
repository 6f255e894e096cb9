package main

import (
	"bytes"
	"slices"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// sbom is the program's bill of materials, in CycloneDX JSON. program is the binary's content.
func (r release) sbom(program []byte, parts []component) []byte {
	self := component{name: "proctor", version: r.version}.cyclonedx()
	self.Type = cyclonedx.ComponentTypeApplication
	self.BOMRef = "proctor"
	self.Licenses = &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "MIT"}}}
	sum := sumLine(program, "")
	self.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: sum[:64]}}

	bill := cyclonedx.NewBOM()
	bill.Metadata = &cyclonedx.Metadata{Timestamp: r.time.Format(time.RFC3339), Component: &self}
	bill.Components = &[]cyclonedx.Component{}
	uses := []string{}
	for _, part := range parts {
		*bill.Components = append(*bill.Components, part.cyclonedx())
		uses = append(uses, part.reference())
	}
	bill.Dependencies = &[]cyclonedx.Dependency{{Ref: self.BOMRef, Dependencies: &uses}}

	var out bytes.Buffer
	encoder := cyclonedx.NewBOMEncoder(&out, cyclonedx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false)
	check(encoder.EncodeVersion(bill, cyclonedx.SpecVersion1_5))
	return out.Bytes()
}

// unlisted are licensecheck's names that SPDX does not list. CycloneDX accepts them as names, not as identifiers.
var unlisted = []string{
	"Aladdin-9", "Anti996", "BSD-1-Clause-Clear", "BSD-3-Clause-NoTrademark", "CC-BY-NC-SA-3.0-US", "CommonsClause",
	"GPL-2.0-or-3.0", "GooglePatentClause", "GooglePatentsFile", "MIT-NoAd", "Prosperity-3.0.0",
}

// reference is the component's name inside the bill.
func (c component) reference() string { return c.name + "@" + c.version }

// cyclonedx is the component as CycloneDX has it.
func (c component) cyclonedx() cyclonedx.Component {
	one := cyclonedx.Component{
		BOMRef: c.reference(), Type: cyclonedx.ComponentTypeLibrary, Name: c.name, Version: c.version, PackageURL: c.purl,
		Scope: cyclonedx.ScopeRequired,
	}
	if c.sum != "" {
		// Not a hash of CycloneDX: it is one of the module's list of files.
		one.Properties = &[]cyclonedx.Property{{Name: "proctor:go.sum", Value: c.sum}}
	}
	if c.terms != "" {
		one.Licenses = &cyclonedx.Licenses{{Expression: c.terms}}
		return one
	}
	licences := cyclonedx.Licenses{}
	for _, id := range c.texts.licences() {
		license := cyclonedx.License{ID: id}
		if slices.Contains(unlisted, id) {
			license = cyclonedx.License{Name: id}
		}
		licences = append(licences, cyclonedx.LicenseChoice{License: &license})
	}
	if len(licences) > 0 {
		one.Licenses = &licences
	}
	return one
}
