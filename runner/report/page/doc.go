// Package page lays figures out for people: a [Page] of sections, facts and tables, written as text for a terminal or as
// markdown, and the [Formats] that people choose from.
//
// Packages with figures (report, compare, samplesize) fill a Page, and need to know no format.
package page
