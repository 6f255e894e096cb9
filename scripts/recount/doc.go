// Package recount works the figures of the JSON report out a second time, straight from their definitions and from nothing but a
// journal's lines, and compares them with what package metrics made: on random journals of every task and, where they are there,
// on the two published logs. It is a test only; what computes shares no code with the packages that it checks.
package recount
