//go:build race

package main

const raceDetector = true // is in this binary
