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

	"proctor/backends"
)

// A Nature is a field's role when a run is resumed, and in a file that may come from somebody else.
type Nature string

// The natures.
const (
	Identity    Nature = "identity"    // decides prompts, answers or marks; a resumed run keeps it
	Input       Nature = "input"       // names a file to read, which may have moved: the fingerprint has its content
	Destination Nature = "destination" // where data is sent, or what is sent with it: a file must not decide that
	Code        Nature = "code"        // whose code is loaded: a file must not decide that either
	Machine     Nature = "machine"     // it is of the machine and the call: each may have its own
)

// A Value is a field that reads its flag itself. Set may be called several times where the flag can be given several times.
type Value interface {
	Set(text string) error
	Texts() []string // the arguments for Set; none for the zero value
}

// A filed value may come from a file, whose content counts.
type filed interface{ Content() string }

// A Field is a field of a specification that has a flag.
type Field struct {
	Flag    string
	Nature  Nature
	Several bool // the flag may be repeated

	of       []string // the allowed words; nil for any
	from, to string   // bounds of a number; empty for none
	or       string   // the word for 0; empty for none
	value    reflect.Value
}

// Fields are the fields of a specification, or of a part of one, given as a pointer, in order. Of two fields with one flag the first
// counts: a specification's own before its parts'.
func Fields(spec any) []Field { return fieldsOf(reflect.ValueOf(spec).Elem(), map[string]bool{}) }

// FieldOf is the field of a flag.
func FieldOf(spec any, flag string) Field {
	all := Fields(spec)
	return all[slices.IndexFunc(all, func(f Field) bool { return f.Flag == flag })]
}

func fieldsOf(of reflect.Value, seen map[string]bool) (all []Field) {
	for i := range of.NumField() {
		tag := of.Type().Field(i).Tag
		if flag := tag.Get("flag"); flag != "" && !seen[flag] {
			seen[flag] = true
			f := Field{Flag: flag, Nature: Nature(tag.Get("is")), Several: tag.Get("times") == "many",
				from: tag.Get("from"), to: tag.Get("to"), or: tag.Get("or"), value: of.Field(i)}
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

// Switch is the field's value where it is a switch, whose flag has no value; else nil.
func (f Field) Switch() *bool {
	to, _ := reflect.TypeAssert[*bool](f.value.Addr())
	return to
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
		if f.or != "" && text == f.or {
			*to = 0
			return nil
		}
		whole := func(text string) (int, error) {
			n, err := strconv.Atoi(text)
			if errors.Is(err, strconv.ErrRange) { // which is beyond every bound
				err = nil
			}
			return n, err
		}
		return f.bounded(parsed(to, text, whole, "a whole number"), float64(*to))
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

// MostNumber is the largest whole number of a field without a bound: the sum of two has 32 bits.
const MostNumber = 1<<30 - 1

// bounded refuses a number beyond the field's bounds.
func (f Field) bounded(err error, x float64) error {
	least, most := math.Inf(-1), float64(MostNumber)
	if f.from != "" {
		least, _ = strconv.ParseFloat(f.from, 64)
	}
	if f.to != "" {
		most, _ = strconv.ParseFloat(f.to, 64)
	}
	switch {
	case err == nil && backends.Within(x, least, most):
		return nil
	case err == nil && x > MostNumber && f.to == "":
		return fmt.Errorf("it must be at most %d", MostNumber)
	case f.or != "":
		return fmt.Errorf("give a number from %s, or %s", f.from, f.or)
	case err != nil:
		return err
	case f.from == "0" && x < 0:
		return errors.New("it cannot be negative")
	case f.from == "0":
		return fmt.Errorf("give 0, or a number from 0.000001 to %s", f.to)
	case f.to != "":
		return fmt.Errorf("give a number from %s to %s", f.from, f.to)
	}
	return fmt.Errorf("it must be at least %s; leave the flag out for the default", f.from)
}

// Texts are the arguments for Set that give the field's value.
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
	if f.or != "" && f.value.IsZero() {
		return []string{f.or}
	}
	if f.value.IsZero() && (f.value.Kind() == reflect.String || f.from == "1" || f.value.Type() == reflect.TypeFor[time.Duration]()) {
		return nil // the flag was not given
	}
	return []string{fmt.Sprint(f.value.Interface())}
}

// String is the value as the flag takes it; empty for the zero value.
func (f Field) String() string {
	texts := f.Texts()
	if len(texts) > 1 && texts[0] == "" { // the empty text marks that the flag was given
		texts = texts[1:]
	}
	return strings.Join(texts, ",")
}

// take gives the field the value of another specification's.
func (f Field) take(other Field) { f.value.Set(other.value) }

// same says whether two specifications have the same value for the field; for files, the same content.
func (f Field) same(other Field) bool {
	a, fromFile := reflect.TypeAssert[filed](f.value.Addr())
	b, _ := reflect.TypeAssert[filed](other.value.Addr())
	if fromFile {
		return a.Content() == b.Content()
	}
	return slices.Equal(f.Texts(), other.Texts())
}
