// Package page lays figures out for people: a [Page] of sections, facts and tables, written as text for a terminal or as
// markdown, the [Formats] that people choose from, and the words for counts, shares, intervals and p-values.
//
// Whoever makes figures (report, compare, samplesize) fills a Page and needs to know of no format. What is undefined reads "n/a".
package page
