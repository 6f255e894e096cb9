package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestClusteredErrorAgreesWithTheDoubleSum(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	var clusters []Cluster
	var items [][]float64 // the same clusters, item by item
	for range 40 {
		size := 1 + random.IntN(9)
		one, right := make([]float64, size), 0
		for i := range one {
			if random.IntN(3) > 0 {
				one[i] = 1
				right++
			}
		}
		clusters, items = append(clusters, Cluster{right, size}), append(items, one)
	}
	n, sum := 0.0, 0.0
	for _, one := range items {
		for _, x := range one {
			n, sum = n+1, sum+x
		}
	}
	mean, total := sum/n, 0.0
	for _, one := range items { // Miller's equation 4, every pair of a cluster, an item with itself included
		for _, x := range one {
			for _, y := range one {
				total += (x - mean) * (y - mean)
			}
		}
	}
	want := math.Sqrt(total/(n*n)) * math.Sqrt(40.0/39)
	got := ClusteredProportion(append(clusters, Cluster{}), 0.95)
	near(t, "mean", value(t, "mean", got.Value), mean, 1e-14)
	near(t, "standard error", value(t, "SE", got.SE), want, 1e-14)
	size := mean * (1 - mean) / want / want * math.Pow(z975/2.0226909, 2) // t 0.975 with 39 degrees of freedom
	_, high := share{mean, size}.bounds(z975)
	near(t, "high", got.Interval.High, high, 1e-7)
}

func TestOneItemAClusterIsTheOrdinaryMean(t *testing.T) {
	clusters := []Cluster{{1, 1}, {0, 1}, {1, 1}, {1, 1}, {0, 1}}
	byCluster, byScore := ClusteredProportion(clusters, 0.95), Mean([]float64{1, 0, 1, 1, 0}, 0.95)
	near(t, "standard error", value(t, "SE", byCluster.SE), math.Sqrt(0.6*0.4/4), 1e-15) // √(p̂(1−p̂)/(n−1))
	near(t, "standard error", value(t, "SE", byScore.SE), math.Sqrt(0.6*0.4/4), 1e-15)
}

func TestMeansThatDoNotVary(t *testing.T) {
	perfect := Mean([]float64{1, 1, 1, 1, 1, 1, 1, 1}, 0.95)
	near(t, "all right, low", perfect.Interval.Low, math.Pow(0.035, 1.0/8), 1e-12)
	near(t, "all right, high", perfect.Interval.High, 1, 0)
	if len(perfect.Warnings) != 1 {
		t.Errorf("warnings %q, want one", perfect.Warnings)
	}
	hopeless := ClusteredProportion([]Cluster{{0, 4}, {0, 4}, {0, 10}}, 0.95)
	near(t, "all wrong, low", hopeless.Interval.Low, 0, 0)
	near(t, "all wrong, high", hopeless.Interval.High, 1-math.Pow(0.035, 1.0/3), 1e-12)
	thirds := Mean([]float64{1.0 / 3, 1.0 / 3, 1.0 / 3}, 0.95) // 1/3 thrice adds up to 1 only by luck
	if !thirds.Interval.Contains(1.0/3) || thirds.Interval.HalfWidth().Or(0) < 0.1 {
		t.Errorf("three equal thirds: %+v", thirds.Interval)
	}
	alone := Mean([]float64{0.5}, 0.95)
	if alone.SE.Defined() || !alone.Interval.IsZero() || len(alone.Warnings) != 1 {
		t.Errorf("one score: %+v", alone)
	}
	if none := Mean(nil, 0.95); none.Value.Defined() {
		t.Errorf("no scores: %+v", none)
	}
	if none := ClusteredProportion([]Cluster{{}, {}}, 0.95); none.Value.Defined() {
		t.Errorf("empty clusters: %+v", none)
	}
}

func TestTheTTestsAreStudents(t *testing.T) {
	// Student 1908, hours of sleep gained by ten patients with two drugs: t = 4.0621 with 9 degrees of freedom, p = 0.002833, interval
	// 0.7001142 to 2.4598858 (R's ?sleep).
	sleep := []float64{1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4}
	mean, p := PairedT(sleep, 0.95)
	near(t, "mean", value(t, "mean", mean.Value), 1.58, 1e-12)
	near(t, "p", value(t, "p", p), 0.00283289, 1e-8)
	near(t, "low", mean.Interval.Low, 0.7001142, 1e-7)
	near(t, "high", mean.Interval.High, 2.4598858, 1e-7)
	near(t, "p of more than 0", value(t, "p", Exceeds(sleep)), 0.00283289/2, 1e-8)
	for i := range sleep {
		sleep[i] = -sleep[i]
	}
	near(t, "p the other way", value(t, "p", Exceeds(sleep)), 1-0.00283289/2, 1e-8)
	if Exceeds([]float64{1}).Defined() || Exceeds([]float64{0.1, 0.1, 0.1}).Defined() || Exceeds(nil).Defined() {
		t.Error("a p-value without variation")
	}
	if mean, p := PairedT([]float64{1, 1, 1}, 0.95); p.Defined() || !mean.Interval.IsZero() || mean.Value.Or(0) != 1 {
		t.Errorf("alike: %+v, %+v", mean, p)
	}
}
