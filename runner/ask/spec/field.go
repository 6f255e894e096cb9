package spec

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"
)

// A Nature is the part that a field plays when a run goes on, and in a file that may be somebody else's.
type Nature string

// The natures.
const (
	Identity    Nature = "identity"    // it decides what is asked, answered or marked, and stays as the run was begun
	Input       Nature = "input"       // it names what is read, which may lie elsewhere by now: the fingerprint knows it by its content
	Destination Nature = "destination" // it says where something is sent, or what goes with it: a file does not decide that
	Code        Nature = "code"        // it says whose code is loaded: a file does not decide that either
	Machine     Nature = "machine"     // it is of the machine and the call: each may have its own
)

// A Value is a field that reads its flag itself. Set may be called several times where the flag can be given several times.
type Value interface {
	Set(text string) error
	Texts() []string // that Set would have to get; none where it says nothing
}

// A filed value may have been read from a file, whose content counts.
type filed interface{ content() string }

// A Field is a field of a specification that has a flag.
type Field struct {
	Flag   string
	Nature Nature

	of       []string // the words that it takes; nil where it takes others
	from, to string   // bounds of a number; empty where it has none
	value    reflect.Value
}

// Fields are those of a specification, or of a part of one, given as a pointer, in their order. Of two with one flag the first counts: that
// of a specification which has another as its part.
func Fields(spec any) []Field { return fieldsOf(reflect.ValueOf(spec).Elem(), map[string]bool{}) }

func fieldsOf(of reflect.Value, seen map[string]bool) (all []Field) {
	for i := range of.NumField() {
		tag := of.Type().Field(i).Tag
		if flag := tag.Get("flag"); flag != "" && !seen[flag] {
			seen[flag] = true
			f := Field{Flag: flag, Nature: Nature(tag.Get("is")), from: tag.Get("from"), to: tag.Get("to"), value: of.Field(i)}
			if words, few := tag.Lookup("of"); few {
				f.of = strings.Split(words, ",")
			}
			all = append(all, f)
		} else if flag == "" && of.Type().Field(i).Anonymous {
			all = append(all, fieldsOf(of.Field(i), seen)...)
		}
	}
	return all
}

// Switch is the field's value where it is a switch, whose flag has no value; nil for others.
func (f Field) Switch() *bool {
	to, _ := reflect.TypeAssert[*bool](f.value.Addr())
	return to
}

// Several says whether the flag can be given several times.
func (f Field) Several() bool {
	_, several := reflect.TypeAssert[interface{ several() }](f.value.Addr())
	return several
}

// Set reads a text, which the error names.
func (f Field) Set(text string) error {
	return Wrong(f.Flag, text, f.set(text))
}

// Wrong is an error about the text that a flag was given, which an error that begins with the text names itself; nil for none.
func Wrong(flag, text string, err error) error {
	switch {
	case err == nil:
		return nil
	case strings.HasPrefix(err.Error(), text+":"):
		return fmt.Errorf("--%s %w", flag, err)
	}
	return fmt.Errorf("--%s %s: %w", flag, text, err)
}

func (f Field) set(text string) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("not UTF-8")
	}
	switch to := f.value.Addr().Interface().(type) {
	case Value:
		return to.Set(text)
	case *string:
		if f.of != nil && !slices.Contains(f.of, text) {
			words := slices.DeleteFunc(slices.Clone(f.of), func(word string) bool { return word == "" })
			return fmt.Errorf("there are %s", english.WordSeries(words, "and"))
		}
		*to = text
	case *bool:
		return parsed(to, text, strconv.ParseBool, "no value, or =false")
	case *[]string:
		*to = strings.Split(text, ",")
	case *time.Duration:
		if err := parsed(to, text, time.ParseDuration, "a time, as in 90s or 10m"); err != nil || *to > 0 {
			return err
		}
		return errors.New("it must be above 0, as in 90s")
	case *int:
		return f.bounded(parsed(to, text, strconv.Atoi, "a whole number"), float64(*to))
	case *uint64:
		seed := func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 32) } // more bits would sample as fewer do
		return parsed(to, text, seed, "a whole number from 0 to 4294967295")
	case *float64:
		return f.bounded(parsed(to, text, func(text string) (float64, error) { return strconv.ParseFloat(text, 64) }, "a number"), *to)
	default:
		panic(fmt.Sprintf("--%s: no flag has a %T", f.Flag, to))
	}
	return nil
}

func parsed[T any](to *T, text string, parse func(string) (T, error), takes string) error {
	x, err := parse(text)
	if err != nil {
		return fmt.Errorf("it takes %s", takes)
	}
	*to = x
	return nil
}

// bounded refuses a number beyond the field's bounds.
func (f Field) bounded(err error, x float64) error {
	if err != nil || f.from == "" {
		return err
	}
	least, most := bound(f.from, math.Inf(-1)), bound(f.to, math.Inf(1))
	switch {
	case x >= least && x <= most:
		return nil
	case f.to != "":
		return fmt.Errorf("give a number from %s to %s", f.from, f.to)
	case f.from == "0":
		return fmt.Errorf("it cannot be negative")
	}
	return fmt.Errorf("it must be at least %s; leave the flag out for the default", f.from)
}

func bound(text string, otherwise float64) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return otherwise
	}
	return x
}

// Texts are what Set would have to get for the field's value.
func (f Field) Texts() []string {
	switch v := f.value.Addr().Interface().(type) {
	case Value:
		return v.Texts()
	case *[]string:
		if len(*v) == 0 {
			return nil
		}
		return []string{strings.Join(*v, ",")}
	case *float64:
		return []string{strconv.FormatFloat(*v, 'g', -1, 64)}
	}
	if f.value.IsZero() && (f.value.Kind() == reflect.String || f.from == "1" || f.value.Type() == reflect.TypeFor[time.Duration]()) {
		return nil // the flag was not given
	}
	return []string{fmt.Sprint(f.value.Interface())}
}

// String is the value as its flag has it; empty where it says nothing.
func (f Field) String() string {
	texts := f.Texts()
	if len(texts) > 1 && texts[0] == "" { // which says that the flag was given
		texts = texts[1:]
	}
	return strings.Join(texts, ",")
}

// take gives the field the value of another specification's.
func (f Field) take(other Field) { f.value.Set(other.value) }

// same says whether two specifications have one value for the field, of a file its content.
func (f Field) same(other Field) bool {
	a, fromFile := reflect.TypeAssert[filed](f.value.Addr())
	b, _ := reflect.TypeAssert[filed](other.value.Addr())
	if fromFile {
		return a.content() == b.content()
	}
	return slices.Equal(f.Texts(), other.Texts())
}
