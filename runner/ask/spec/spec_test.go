package spec

import (
	"reflect"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/prompts/dataset"
	"proctor/scripts/tests/errortest"
)

// TestEveryFieldHasANature walks the specification: a field that has neither a flag nor a nature would be lost when a run goes on.
func TestEveryFieldHasANature(t *testing.T) {
	natures := []string{string(Identity), string(Input), string(Destination), string(Code), string(Machine)}
	flags := map[string]bool{}
	var walk func(of reflect.Type)
	walk = func(of reflect.Type) {
		for field := range of.Fields() {
			if _, declared := field.Tag.Lookup("is"); field.Anonymous && !declared {
				walk(field.Type)
				continue
			}
			assert.Check(t, slices.Contains(natures, field.Tag.Get("is")), "%s of %s has no nature", field.Name, of.Name())
			flag := field.Tag.Get("flag")
			assert.Check(t, !flags[flag], "--%s is two fields'", flag)
			flags[flag] = true
		}
	}
	walk(reflect.TypeFor[Spec]())
}

func TestLimitsAreNumbersNumbersOfEachSubjectOrShares(t *testing.T) {
	for text, want := range map[string]Limit{
		"700": {Limit: 700}, "50/subject": {PerSubject: 50}, "0.1": {Share: 0.1}, "10%": {Share: 0.1}, "1.0": {Share: 1}, "1": {Limit: 1},
	} {
		var got, again Limit
		assert.Check(t, got.Set(text) == nil && got == want, "%s: %+v, want %+v", text, got, want)
		assert.Check(t, again.Set(got.String()) == nil && again == want, "%s is written as %s", text, got)
	}
	for _, text := range []string{"0", "-3", "0/subject", "0.1/subject", "1.5", "0.0", "101%", "all", "", "NaN", "Inf"} {
		errortest.For(t, text, new(Limit).Set(text), "ask at least 1 question")
	}
}

// set gives a specification's field a text.
func set(t *testing.T, of any, flag, text string) {
	t.Helper()
	fields := Fields(of)
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Flag == flag })
	assert.Assert(t, i >= 0, "no field has --%s", flag)
	assert.NilError(t, fields[i].Set(text))
}

// TestFlagsSayWhatASpecificationIs has every field another value than its default, written and read again.
func TestFlagsSayWhatASpecificationIs(t *testing.T) {
	texts := map[string][]string{
		"data": {"sample"}, "map": {"question=q,options=a+b,answer=x"}, "split": {"train"}, "shots-file": {"shots.csv"},
		"system": {"Choose."}, "tasks": {"mmlu_pro_math"},
		"direct": {"true"}, "subjects": {"law,math:1-5"}, "ids": {"70,71"}, "limit": {"10%"}, "first": {"true"}, "seed": {"4294967295"},
		"shots": {"0"}, "style": {"evalscope"}, "pattern": {"all_possible"}, "repeats": {"3"}, "prompt": {"chat"}, "chat-template": {"chatml"},
		"template-arg": {"a=1", "b=x"}, "reasoning-effort": {"low"}, "think": {"off"}, "think-marks": {"<t>,</t>"},
		"think-budget": {"512,2048"}, "keep-logprobs": {"true"},
		"until-decided": {"runs/q8"}, "margin": {"2.5pp"}, "shard": {"2/16"}, "model": {"ollama:m"},
		"slots": {"4"}, "threads": {"3"}, "gpu-layers": {"all"}, "device": {"CUDA0,CUDA1"}, "kv-type": {"k=q8_0,v=q5_1"}, "engine": {"builtin"},
		"lora": {"a b.gguf=0.5", "c.gguf"}, "kernels": {"ggml"}, "ctx": {"4096"}, "servers": {"a:1,b:2"},
		"extra-body": {`{"a":1}`}, "concurrency": {"7"}, "timeout": {"1m30s"}, "max-tokens": {"64"}, "temperature": {"0.7"},
		"sampling": {"top_k=40,top_p=0.95"}, "loops": {"go-on"}, "stop": {"", "Q:", "A:"}, "rules": {"anchored"},
	}
	s := Default()
	for _, f := range Fields(&s) {
		assert.Check(t, texts[f.Flag] != nil, "the test has no value for --%s", f.Flag)
		for _, text := range texts[f.Flag] {
			set(t, &s, f.Flag, text)
		}
	}
	assert.DeepEqual(t, s.Flags(), texts)
	again := Default()
	assert.NilError(t, Read(&again, s.Flags(), nil, nil))
	assert.Check(t, reflect.DeepEqual(again, s), "%+v, want %+v", again, s)
	none := Default()
	assert.Check(t, is.Len(none.Flags(), 0))
}

func TestAResumedRunKeepsItsIdentity(t *testing.T) {
	was := Default()
	set(t, &was, "limit", "7")
	set(t, &was, "max-tokens", "64")
	for name, test := range map[string]struct {
		given map[string]string
		err   string // empty: taken
	}{
		"nothing":             {},
		"the same again":      {given: map[string]string{"limit": "7", "max-tokens": "64", "seed": "0"}},
		"more questions":      {given: map[string]string{"limit": "9"}},
		"the machine's own":   {given: map[string]string{"threads": "2", "slots": "1", "timeout": "1m0s"}},
		"what lies elsewhere": {given: map[string]string{"model": "moved.gguf", "data": "moved"}},
		"where it is sent":    {given: map[string]string{"servers": "a:1"}},
		"a larger cap, again": {given: map[string]string{"max-tokens": "128", "again": "LENGTH"}},
		"a larger cap":        {map[string]string{"max-tokens": "128"}, "the run was started with --max-tokens 64 and keeps that: again LENGTH"},
		"other rules": {map[string]string{"rules": "anchored"},
			"the run was started without it and keeps that: `proctor report RUN rules anchored`"},
		"another seed":          {map[string]string{"seed": "5"}, "--seed 5: the run was started with --seed 0 and keeps that"},
		"another draw":          {map[string]string{"first": "true"}, "--first: the run was started without it"},
		"other stop strings":    {map[string]string{"stop": ""}, "the run was started without it"},
		"log-probabilities too": {map[string]string{"keep-logprobs": "true"}, "--keep-logprobs: the run was started without it"},
	} {
		call, given := Default(), func(flag string) bool { _, is := test.given[flag]; return is }
		for flag, text := range test.given {
			if flag != "again" {
				set(t, &call, flag, text)
			}
		}
		now := was
		err := Resume(&now, &call, given)
		if test.err != "" {
			errortest.For(t, name, err, test.err)
			continue
		}
		assert.Check(t, err, name)
		for _, f := range Fields(&now) {
			if text, given := test.given[f.Flag]; given {
				assert.Check(t, f.String() == text, "%s: --%s is %s", name, f.Flag, f)
			}
		}
	}
}

// What goes on was begun in a style whose later version is the default by now.
func TestAResumedRunKeepsTheVersionsOfItsStyles(t *testing.T) {
	set, err := dataset.Open("sample", dataset.Options{})
	assert.NilError(t, err)
	s := Default()
	s.Tasks, s.Style.Pinned = "mmlu_pro,mmlu_pro_binary", []string{"tiger@1", "binary@1"}
	for given, want := range map[string]string{"": "tiger@1 binary@1", "agi-evals": "agi-evals@1 agi-evals@1"} {
		s.Style.Given = given
		evals, err := s.Evals(set)
		assert.NilError(t, err)
		assert.Equal(t, evals[0].Style.Name+" "+evals[1].Style.Name, want)
	}
	s.Style.Pinned, s.Style.Given = nil, ""
	evals, err := s.Evals(set)
	assert.Check(t, err == nil && evals[1].Style.Name == "binary@2", "%v, %v", evals, err)
}

// What a later sum, or a number of 32 bits, can't hold is refused with its bound.
func TestNumbersHaveBounds(t *testing.T) {
	for _, test := range []struct{ flag, text, want string }{
		{"max-tokens", "9223372036854775807", "it must be at most 1073741823"},
		{"max-tokens", "99999999999999999999", "it must be at most 1073741823"},
		{"max-tokens", "1073741824", "it must be at most 1073741823"},
		{"max-tokens", "0", "it must be at least 1"},
		{"ctx", "4294967296", "it must be at most 1073741823"},
		{"slots", "4294967296", "it must be at most 1073741823"},
		{"slots", "0", "give a number from 1, or auto"},
		{"slots", "many", "give a number from 1, or auto"},
		{"repeats", "1001", "give a number from 1 to 1000"},
		{"think-budget", "1073741824", "up to 1073741823"},
		{"temperature", "Inf", "a number from 0.000001 to 100"},
		{"temperature", "NaN", "a number from 0.000001 to 100"},
		{"temperature", "1e-46", "a number from 0.000001 to 100"},
		{"temperature", "-0.1", "it cannot be negative"},
		{"temperature", "1e999", "it takes a number"},
		{"sampling", "min_p=1e-46", "give 0.000001 or more"},
		{"sampling", "presence_penalty=-1e-46", "give 0.000001 or more"},
		{"sampling", "repeat_penalty=1e-300", "give 0.000001 or more"},
		{"lora", "a.gguf=1e39", "not a number from -1000 to 1000"},
		{"lora", "a.gguf=1e-46", "not a number from -1000 to 1000"},
		{"gpu-layers", "4294967296", "give at most 999, or all"},
	} {
		s := Default()
		errortest.For(t, test.flag, FieldOf(&s, test.flag).Set(test.text), test.text, test.want)
	}
	for flag, text := range map[string]string{"max-tokens": "1073741823", "temperature": "0.000001", "ctx": "1073741823",
		"slots": "auto"} {
		s := Default()
		assert.NilError(t, FieldOf(&s, flag).Set(text), flag)
	}
}
