package layout

import (
	"slices"
	"testing"
)

func TestALibraryIsKnownByTheDefaultsOfItsRow(t *testing.T) {
	with := func(words map[Offset]uint32) (p Params) {
		for at, word := range words {
			p.SetInt(at, int(int32(word)))
		}
		return p
	}
	for _, row := range known {
		model, context := with(row.modelDefaults), with(row.contextDefaults)
		if l, err := Of(model, context); err != nil || l.Since != row.Since || !slices.Contains(Fits(model, context), row.Since) {
			t.Errorf("%s is taken for %s, fits %q, %v", row.Since, l.Since, Fits(model, context), err)
		}
	}
	p := with(map[Offset]uint32{16: anyOf, 188: 1})
	if got := p.String(); got != "16: 0xffffffff, 188: 0x1" {
		t.Errorf("words %s", got)
	}
	if fits := Fits(p, p); len(fits) > 0 {
		t.Errorf("%s fits %q", p, fits)
	}
}
