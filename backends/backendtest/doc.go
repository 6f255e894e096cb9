// Package backendtest is the contract that every backend passes: what package backends promises, as tests.
//
// A backend's own test file is one call of [Run]. The contract does not know what a model answers: it first sends plain requests, and then
// checks that stop strings, caps and other requests at the same time change those answers no more than they may.
package backendtest
