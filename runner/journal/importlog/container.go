package importlog

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// A whole log in one JSON object begins with a key that no sample begins with: OpenCompass's with a question's number, Inspect's
// with its version, llama-eval's with its set and its model.
var containerStart = regexp.MustCompile(`^\{\s*"(?:(?:\d+|version)"\s*:|id"\s*:\s*"[^"]*"\s*,\s*"(?:model_name|tasks)")`)

// container reads the samples of an object: OpenCompass's are its values, Inspect's are in samples, llama-eval's in cases. Other keys
// are skipped, except the model's name.
func (c *collector) container(name string, in *bounded, dec *json.Decoder) error {
	if _, err := dec.Token(); err != nil {
		return cutOff(err)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return cutOff(err)
		}
		in.element = 0
		switch text := fmt.Sprint(key); {
		case text == "task_states":
			err = c.container(name, in, dec)
		case text == "samples" || text == "cases":
			err = c.each(name, in, dec)
		case text == "eval":
			var eval struct{ Model string }
			err = dec.Decode(&eval)
			c.model = eval.Model
		case text == "model_name":
			err = dec.Decode(&c.model)
		case strings.Trim(text, "0123456789") == "":
			err = c.decode(name, dec)
		default:
			var other json.RawMessage
			err = dec.Decode(&other)
		}
		if err != nil {
			return fmt.Errorf("%v: %w", key, cutOff(err))
		}
	}
	_, err := dec.Token()
	return cutOff(err)
}

// each reads the samples of a list, or the values of an object.
func (c *collector) each(name string, in *bounded, dec *json.Decoder) error {
	open, err := dec.Token()
	if err != nil || open == nil {
		return err
	}
	for n := 1; dec.More(); n++ {
		if open == json.Delim('{') {
			if _, err := dec.Token(); err != nil {
				return err
			}
		}
		in.element = 0
		if err := c.decode(name, dec); err != nil {
			return fmt.Errorf("element %d: %w", n, err)
		}
	}
	_, err = dec.Token()
	return err
}

// ofInspect says whether an archive's member is one of Inspect's files without samples.
func ofInspect(member string) bool {
	switch path.Base(member) {
	case "summaries.json", "reductions.json", "start.json":
		return true
	}
	return strings.HasPrefix(member, "_journal/")
}

// zstandard is how newer archives of Inspect's are compressed.
var zstandard = zstd.ZipDecompressor()
