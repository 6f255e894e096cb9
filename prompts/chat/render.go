package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ardanlabs/jinja"
	"github.com/itchyny/timefmt-go"
)

// A Job is one rendering of a template.
type Job struct {
	Source   string // the template
	Messages []Message
	// Variables are an object in JSON. Where there is none, the template is only parsed.
	Variables []byte
	Now       time.Time
}

// A Renderer does jobs. Its error is a *Refusal where the template refuses the conversation. [Process.Render] is one for templates
// of strangers, [RenderInProcess] one for those of tests.
type Renderer func(Job) (string, error)

// RenderInProcess renders in this process. Nothing limits the time and the memory that a template takes.
func RenderInProcess(job Job) (string, error) { return new(parsed).render(job) }

var lines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// parsed is the template of the last job.
type parsed struct{ template *jinja.Template }

// render does a job. One without a source has the template of the job before it.
func (p *parsed) render(job Job) (text string, err error) {
	defer func() {
		if cause := recover(); cause != nil { // the library's, as for a filter with too few arguments
			text, err = "", fmt.Errorf("%v", cause)
		}
	}()
	if job.Source != "" || p.template == nil {
		source := strings.TrimSuffix(lines.Replace(job.Source), "\n") // as Jinja2 reads it
		if p.template, err = jinja.Compile(source); err != nil {
			return "", errors.New(strings.TrimPrefix(strings.TrimPrefix(err.Error(), "jinja scan: "), "jinja parse: "))
		}
	}
	if job.Variables == nil {
		return "", nil
	}
	variables, err := job.values()
	if err != nil {
		return "", err
	}
	return p.template.RenderValues(variables)
}

// values are all that a template can read.
func (j Job) values() (map[string]jinja.Value, error) {
	reader := json.NewDecoder(bytes.NewReader(j.Variables))
	reader.UseNumber()
	var variables map[string]any
	if err := reader.Decode(&variables); err != nil {
		return nil, err
	}
	values := map[string]jinja.Value{
		"raise_exception": jinja.NewCallable("raise_exception", raise),
		"strftime_now":    jinja.NewCallable("strftime_now", clock(j.Now)),
	}
	for name, value := range variables {
		values[name] = jinja.FromGoValue(value)
	}
	turns := make([]jinja.Value, len(j.Messages))
	for i, message := range j.Messages {
		turns[i] = jinja.NewDict()
		turns[i].AsDict().Set("role", jinja.NewString(message.Role))
		turns[i].AsDict().Set("content", jinja.NewString(message.Content))
	}
	values["messages"] = jinja.NewList(turns)
	return values, nil
}

// raise is raise_exception(message).
func raise(args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	if len(args) != 1 {
		return jinja.Undefined(), errors.New("raise_exception takes one message")
	}
	if args[0].IsString() {
		return jinja.Undefined(), &Refusal{args[0].AsString()}
	}
	return jinja.Undefined(), &Refusal{args[0].String()}
}

// zoneless drops the conversions of the zone, which Python's datetime.now() does not have.
var zoneless = strings.NewReplacer("%%", "%%", "%Z", "", "%z", "")

// clock is strftime_now(format) at a given time.
func clock(now time.Time) func([]jinja.Value, map[string]jinja.Value) (jinja.Value, error) {
	return func(args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
		switch {
		case len(args) != 1 || !args[0].IsString():
			return jinja.Undefined(), errors.New("strftime_now takes one format")
		case now.IsZero():
			return jinja.Undefined(), errors.New("strftime_now: no time was given")
		}
		return jinja.NewString(timefmt.Format(now, zoneless.Replace(args[0].AsString()))), nil
	}
}
