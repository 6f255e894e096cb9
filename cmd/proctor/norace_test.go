//go:build !race

package main

const raceDetector = false // is not in this binary
