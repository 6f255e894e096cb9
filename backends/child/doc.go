// Package child starts this program again, for what may kill a process or hang in it: loading somebody's library,
// computing with it.
//
//	Start, Ask ─→ PROGRAM child TASK ─→ Main → Task.Do
//	           ←─ messages, as gob, over its standard input and output ─→
//
// [Ask] has a child do a thing that has one answer, within a time limit. [Start] is for longer talks: package isolated
// has one with an engine. Why a child died is a [Death], found here alone.
//
// A child ends with its parent, gets none of the terminal's signals, is the first to go where memory ends, and starts
// no other. It keeps its standard output to itself: what a library prints goes nowhere.
//
// Neighbours: packages engines, selftest and isolated have the tasks, package registry lists them.
package child
