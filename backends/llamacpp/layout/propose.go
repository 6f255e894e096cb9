package layout

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Fits are the releases whose row of the table the defaults of a library fit, the latest last.
func Fits(model, context Params) []string {
	var since []string
	for _, l := range known {
		if Has(model, l.modelDefaults) && Has(context, l.contextDefaults) {
			since = append(since, l.Since)
		}
	}
	return since
}

// A Proposal is what the defaults of a library say about where its fields lie. Ambiguous names what they leave open.
type Proposal struct {
	Row       string
	Ambiguous []string
}

// Propose finds fields by the defaults that releases have kept: 4 threads, enums of -1, scales of -1.0, two cache types of f16 (1), and
// booleans that follow each other. Only words that are no pointers are looked at.
func Propose(model, context Params) Proposal {
	var p Proposal
	one := func(what string, in Params, begin, end Offset, words ...uint32) Offset {
		var found []string
		var first Offset
		for at := begin; at+4*Offset(len(words)) <= end; at += 4 {
			if in.at(at, words) {
				if len(found) == 0 {
					first = at
				}
				found = append(found, fmt.Sprint(at))
			}
		}
		switch len(found) {
		case 0:
			p.Ambiguous = append(p.Ambiguous, what+": nowhere")
		case 1:
		default:
			p.Ambiguous = append(p.Ambiguous, what+": at "+strings.Join(found, " or "))
		}
		return first
	}
	threads := one("threads", context, 16, 40, 4, 4)
	scaling := one("scaling of positions", context, threads+8, 64, anyOf, anyOf, anyOf, anyOf)
	types := one("cache types", context, scaling+16, 128, 1, 1)
	bools := one("booleans of contexts", context, types+24, 160, someBools)
	if !Has(context, contextDefaults(nil)) {
		p.Ambiguous = append(p.Ambiguous, "the first four fields of contexts: not 512, 2048, 512, 1")
	}
	if bools != types+24 {
		p.Ambiguous = append(p.Ambiguous, fmt.Sprintf("booleans of contexts: at %d, known ones are 24 behind the cache types", bools))
	}
	p.Row = fmt.Sprintf("context: contextAt(%d, %d, %d)\nmodel: gpuLayers and splitMode at 16; words that are not 0: %s", threads, scaling, types,
		words(model))
	return p
}

// at says whether words stand at an offset.
func (p *Params) at(begin Offset, words []uint32) bool {
	for i, want := range words {
		if p.Word(begin+4*Offset(i)) != want {
			return false
		}
	}
	return true
}

// words lists those that are neither 0 nor part of a pointer.
func words(p Params) string {
	var all []string
	for at := Offset(0); at < 96; at += 4 {
		pointer := binary.NativeEndian.Uint64(p.bytes()[at&^7:])
		if word := p.Word(at); word != 0 && (pointer < 0x50<<40 || pointer >= 1<<48) {
			all = append(all, fmt.Sprintf("%d: %#x", at, word))
		}
	}
	return strings.Join(all, ", ")
}
