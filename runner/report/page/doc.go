// Package page lays figures out for people: a [Page] of sections, facts and tables, written as text for a terminal or as
// markdown, and the [Formats] that people choose from.
//
// Whoever shows figures (report, compare, samplesize) fills a Page and needs to know of no format.
package page
