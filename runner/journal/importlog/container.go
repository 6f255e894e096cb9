package importlog

import (
	"encoding/json"
	"fmt"
	"regexp"
)

// predictionsStart is how a log of OpenCompass begins, an object of predictions by their number.
var predictionsStart = regexp.MustCompile(`^\{\s*"\d+"\s*:`)

// predictions reads the values of such an object.
func (c *collector) predictions(name string, in *bounded, dec *json.Decoder) error {
	if _, err := dec.Token(); err != nil {
		return cutOff(err)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return cutOff(err)
		}
		in.element = 0
		if err := c.decode(name, dec); err != nil {
			return fmt.Errorf("%v: %w", key, cutOff(err))
		}
	}
	_, err := dec.Token()
	return cutOff(err)
}
