package sharedtest

import "flag"

// Waiting has eight of a package's parallel tests run at a time, on any number of cores: they wait for others more than they
// compute. TestMain calls it before it runs them. It panics where the flag -test.parallel is not there.
func Waiting() {
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
}
