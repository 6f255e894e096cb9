package logprobs

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"proctor/backends"
)

// unit is the number of the file's steps in a nat.
const unit = 1 << 18

// most is the largest number of steps that is written.
const most = 1<<24 - 1

// Precision is the largest error of a stored logarithm or entropy, in nat.
const Precision = 0.5 / unit

// BytesAToken is about what a token takes, with [backends.TopLogprobs] likeliest ones of a large vocabulary.
const BytesAToken = 370

// encode writes an item's part.
func encode(to []byte, id string, predictions []backends.Prediction, top int) ([]byte, error) {
	to = append(binary.AppendUvarint(to, uint64(len(id))), id...)
	to = binary.AppendUvarint(to, uint64(len(predictions)))
	for _, p := range predictions {
		if len(p.Top) != top {
			return nil, errors.New("a prediction has more or fewer of the likeliest tokens than those before")
		}
		rank := slices.IndexFunc(p.Top, func(l backends.Logprob) bool { return l.Token == p.Token })
		if rank < 0 {
			to = append(to, byte(top))
			to = appendLogprob(to, backends.Logprob{Token: p.Token, Logprob: p.Logprob})
		} else {
			to = append(to, byte(rank))
		}
		to = appendSteps(to, known(p.Entropy))
		for _, likely := range p.Top {
			to = appendLogprob(to, likely)
		}
		to = appendSteps(to, -p.Rest)
	}
	return to, nil
}

func appendLogprob(to []byte, l backends.Logprob) []byte {
	return appendSteps(binary.AppendUvarint(to, uint64(l.Token)), -l.Logprob)
}

// known encodes an entropy: an unknown one becomes the largest number.
func known(entropy float64) float64 {
	if math.IsNaN(entropy) {
		return most
	}
	return entropy
}

func appendSteps(to []byte, nat float64) []byte {
	steps := uint32(math.Round(min(max(nat, 0)*unit, most)))
	return append(to, byte(steps), byte(steps>>8), byte(steps>>16))
}

// decoder reads a part; after the first thing that cannot be, it reads zeros.
type decoder struct {
	rest []byte
	bad  bool
}

// decode reads an item's part. Predictions share no memory: appending to one does not touch another.
func decode(part []byte, top int) (id string, predictions []backends.Prediction, err error) {
	d := &decoder{rest: part}
	id = string(d.bytes(d.uvarint()))
	n := d.uvarint()
	if n > uint64(len(d.rest)) {
		return "", nil, errDamaged
	}
	for range n {
		p := backends.Prediction{Top: make([]backends.Logprob, top)}
		rank := int(d.bytes(1)[0])
		if rank == top {
			l := d.logprob()
			p.Token, p.Logprob = l.Token, l.Logprob
		}
		if p.Entropy = d.nat(); p.Entropy == most/float64(unit) {
			p.Entropy = math.NaN()
		}
		for i := range p.Top {
			p.Top[i] = d.logprob()
		}
		if rank < top {
			p.Token, p.Logprob = p.Top[rank].Token, p.Top[rank].Logprob
		}
		p.Rest = -d.nat()
		if d.bad || rank > top {
			return "", nil, errDamaged
		}
		predictions = append(predictions, p)
	}
	if d.bad || len(d.rest) > 0 {
		return "", nil, errDamaged
	}
	return id, predictions, nil
}

var errDamaged = errors.New("is not part of an item")

func (d *decoder) uvarint() uint64 {
	n, size := binary.Uvarint(d.rest)
	if size <= 0 {
		d.bad = true
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

// bytes are the next n bytes; behind the end, one zero.
func (d *decoder) bytes(n uint64) []byte {
	if n > uint64(len(d.rest)) {
		d.bad = true
		return make([]byte, min(n, 3))
	}
	taken := d.rest[:n]
	d.rest = d.rest[n:]
	return taken
}

func (d *decoder) nat() float64 {
	b := d.bytes(3)
	return float64(uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16) / unit
}

func (d *decoder) logprob() backends.Logprob {
	token := d.uvarint()
	if token > math.MaxInt32 {
		d.bad = true
		token = 0
	}
	return backends.Logprob{Token: int32(token), Logprob: -d.nat()}
}
