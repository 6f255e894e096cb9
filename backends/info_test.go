package backends

import (
	"testing"

	"gotest.tools/v3/assert"
)

func TestQuantisationsOfOneModelHaveDifferentTitles(t *testing.T) {
	for want, m := range map[string]ModelInfo{
		"m Q8_0":         {Name: "m", Ref: "x.gguf", Quantization: "Q8_0"},
		"m-Q8_0":         {Name: "m-Q8_0", Quantization: "Q8_0"},
		"ollama:m-q8_0":  {Ref: "ollama:m-q8_0", Quantization: "Q8_0"},
		"m-Q8_0 Q4_0":    {Name: "m-Q8_0", Quantization: "Q4_0"},
		"m-BF16":         {Name: "m-BF16", Quantization: "BF16"},
		"m-BF16 F16":     {Name: "m-BF16", Quantization: "F16"},
		"m-Q2_K_S Q2_K":  {Name: "m-Q2_K_S", Quantization: "Q2_K"},
		"m":              {Name: "m"},
		"m mostly MXFP4": {Name: "m", Quantization: "mostly MXFP4"},
	} {
		assert.Equal(t, m.Title(), want)
	}
}

func TestSizesAreLabelledAsModelsAreNamed(t *testing.T) {
	for parameters, want := range map[int64]string{
		99_400_000: "99M", 1_180_000: "1.2M", 8_030_261_248: "8B", 1_235_814_400: "1.2B", 70_553_706_496: "71B", 9_960_000: "10M",
		999_600_000: "1B", 671_026_419_200: "671B", 1_041_000_000_000: "1T", 5_120: "5.1K", 2_500_000_000_000_000: "2500T",
	} {
		assert.Equal(t, SizeLabel(parameters), want)
	}
}
