package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A Forecast is how sure one was of an answer, from 0 to 1, and whether it was right.
type Forecast struct {
	Confidence float64
	Right      bool
}

// CalibrationBins is how many bins of equal width confidences fall into, as in HELM's ece_10_bin.
const CalibrationBins = 10

// Bin is the one of [CalibrationBins] that the confidence falls into: the first has 0 to 0.1, the others what is above their
// lower edge, up to the upper one.
func (f Forecast) Bin() int {
	return min(max(int(math.Ceil(f.Confidence*CalibrationBins))-1, 0), CalibrationBins-1)
}

// CalibrationError is the expected calibration error: Σ_bins n_b/n · |accuracy_b − mean confidence_b|. Undefined without forecasts.
// Source: Naeini, Cooper and Hauskrecht 2015, AAAI; Guo et al. 2017, arXiv 1706.04599, eq. 3.
func CalibrationError(forecasts []Forecast) Number {
	var gaps [CalibrationBins]float64
	for _, f := range forecasts {
		gaps[f.Bin()] += f.Confidence - hit(f.Right)
	}
	return Of(sumOfAbsolutes(gaps[:]) / float64(len(forecasts)))
}

func hit(right bool) float64 {
	if right {
		return 1
	}
	return 0
}

func sumOfAbsolutes(values []float64) float64 {
	sum := 0.0
	for _, x := range values {
		sum += math.Abs(x)
	}
	return sum
}

// calibrationReplicates is how many samples [CalibratedError] draws.
const calibrationReplicates = 2000

// CalibratedError is what [CalibrationError] comes to for forecasts of these confidences that are calibrated, right as often as they
// say: the mean over simulated samples of independent answers, and the quantile that the confidence names. A sample's error is above
// 0 by chance alone, the more so the smaller it is, so an error below that quantile shows no miscalibration. Both have the digits
// that as many other samples would find as well. Undefined without forecasts. Source: consistency resampling, Bröcker and Smith 2007,
// Weather and Forecasting 22:651.
func CalibratedError(forecasts []Forecast, confidence float64) (mean, most Number) {
	if len(forecasts) == 0 {
		return Undefined, Undefined
	}
	random := rand.New(rand.NewPCG(2007, 22651))
	errors := make([]float64, calibrationReplicates)
	for i := range errors {
		var gaps [CalibrationBins]float64
		for _, f := range forecasts {
			gaps[f.Bin()] += f.Confidence - hit(random.Float64() < f.Confidence)
		}
		errors[i] = sumOfAbsolutes(gaps[:]) / float64(len(forecasts))
	}
	slices.Sort(errors)
	mean, spread := Spread(errors)
	// The quantile's own error: half of how far apart those are that lie one standard error of their rank below and above it.
	reach := math.Sqrt(confidence * (1 - confidence) / calibrationReplicates)
	off := quantileSorted(errors, min(1, confidence+reach)) - quantileSorted(errors, max(0, confidence-reach))
	return carried(mean.value, spread.value/math.Sqrt(calibrationReplicates)), carried(quantileSorted(errors, confidence), off/2)
}

// carried rounds to the last decimal place whose unit is no smaller than twice the error.
func carried(x, err float64) Number {
	if !(err > 0) {
		return Of(x)
	}
	digits := math.Pow(10, math.Floor(-math.Log10(2*err)))
	return Of(math.Round(x*digits) / digits)
}
