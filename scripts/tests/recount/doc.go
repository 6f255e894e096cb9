// Package recount works the figures of the JSON report out a second time, straight from their definitions and from nothing but a
// journal's lines, and compares them with what package metrics made: on random journals of every task, on runs that stopped by
// themselves and, where they are there, on the two published logs. It is a test only; what computes, and what takes the answers from
// the texts, shares no code with the packages that it checks.
//
// What is left out: what the report copies from the journal's header; the words; of a run with repeats, the figures that are not
// about repeats, speed, costs or failures.
package recount
