// Package live shows a running run in a browser: a page with its progress, and below it the report that
// `proctor report --format html` would make of the journal at that moment.
//
// It is for this machine's user: it answers only GET and HEAD, only under an address of its own (foreign DNS names are refused), and
// never another page's script. It listens on other interfaces only on request, and then under a secret path.
//
// Neighbours: runner/ask/progress counts; runner/report writes; cmd/proctor starts and stops it.
package live
