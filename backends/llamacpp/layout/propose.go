package layout

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

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
	if !Has(context, firstDefaults) {
		p.Ambiguous = append(p.Ambiguous, "the first four fields of contexts: not 512, 2048, 512, 1")
	}
	if bools != types+24 {
		p.Ambiguous = append(p.Ambiguous, fmt.Sprintf("booleans of contexts: at %d, known ones are 24 behind the cache types", bools))
	}
	row, err := proposeModel(model)
	if err != nil {
		p.Ambiguous = append(p.Ambiguous, err.Error())
	}
	p.Row = fmt.Sprintf("Model: %s, Context: contextAt(%d, %d, %d)", row, threads, scaling, types)
	return p
}

// proposeModel finds a model's fields. Its booleans are the last ones: vocab_only is their first, and no_host follows use_extra_bufts,
// the last that is true. A second one that is true is use_mmap; else the way of loading is a number, 1 for a mapped file, the last one
// before the tensor split. That is a pointer, four before the booleans.
func proposeModel(model Params) (row string, err error) {
	const splitMode, before, end = 20, 40, 96
	if model.Word(splitMode) != 1 {
		return "", errors.New("a model's way to split over GPUs: not 1 (by layer) at 20")
	}
	bools, last := Offset(0), Offset(0)
	for at := Offset(before); at < end; at++ {
		if model.isPointer(at) || model.bytes()[at] != 1 {
			continue
		}
		if bools == 0 {
			bools = at &^ 7
		}
		last = at
	}
	if bools == 0 || last >= bools+8 {
		return "", errors.New("booleans of models: nowhere, or more than eight")
	}
	if model.bytes()[bools+1] == 1 {
		if known := modelBooleans(last + 1); bools != known.VocabOnly {
			return "", fmt.Errorf("booleans of models: at %d, known ones that say whether the file is mapped are at %d", bools, known.VocabOnly)
		}
		return fmt.Sprintf("modelBooleans(%d)", last+1), nil
	}
	mode := Offset(0)
	for at := Offset(splitMode + 4); at < bools-32; at += 4 {
		if model.Word(at) == LoadMapped {
			mode = at
		}
	}
	if mode == 0 || last != bools+2 {
		return "", fmt.Errorf("a model's way of loading: nowhere, or its booleans at %d are others", bools)
	}
	return fmt.Sprintf("modelLoadMode(%d, %d)", mode, bools-32), nil
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

// isPointer says whether a byte is of what can be an address.
func (p *Params) isPointer(at Offset) bool {
	word := binary.NativeEndian.Uint64(p.bytes()[at&^7:])
	return word >= 0x50<<40 && word < 1<<48
}
