package backends

import "testing"

func TestSizesAreLabelledAsModelsAreNamed(t *testing.T) {
	for parameters, want := range map[int64]string{
		99_400_000: "99M", 1_180_000: "1.2M", 8_030_261_248: "8B", 1_235_814_400: "1.2B", 70_553_706_496: "71B", 9_960_000: "10M",
		999_600_000: "1B", 671_026_419_200: "671B", 1_041_000_000_000: "1T", 5_120: "5.1K", 2_500_000_000_000_000: "2500T",
	} {
		if got := SizeLabel(parameters); got != want {
			t.Errorf("%d: %s, want %s", parameters, got, want)
		}
	}
}
