package backends

import (
	"fmt"
	"strings"
)

// SizeLabel is a number of parameters in the style of models' names, as 99M, 1.2M or 8B: two digits, or all before the point.
func SizeLabel(parameters int64) string {
	value, units := float64(parameters), "KMBT"
	for value /= 1000; value >= 999.5 && len(units) > 1; value /= 1000 {
		units = units[1:]
	}
	text := fmt.Sprintf("%.0f", value)
	if value < 9.95 {
		text = strings.TrimSuffix(fmt.Sprintf("%.1f", value), ".0")
	}
	return text + units[:1]
}
