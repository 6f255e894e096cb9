// Package live shows a run in a browser while it is asked: a page with where it stands, and below it the report, the same as
// `proctor report --format html` makes of the journal at that moment.
//
// It is for this machine's user: it answers GET and HEAD alone, only where it is addressed by an address of its own (a name that
// somebody else's DNS gives it is refused), never for another page's script, and listens beyond the machine only where asked to, then
// under a path that nobody can guess.
//
// Neighbours: runner/ask/progress counts; runner/report writes; cmd/proctor begins and ends it.
package live
