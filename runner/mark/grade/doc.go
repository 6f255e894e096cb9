// Package grade marks completions. The same text always gets the same verdict.
//
// A [RuleSet] is a named chain of rules. Each [Rule] looks for the letter that a completion gives as its answer; the
// first that finds one, or decides that there is none, ends the search. [RuleSet.Mark] turns that into a [Mark]:
// the letter, the rule, and, when the item did not pass, one failure tag with its cause.
//
// Rule sets named after other harnesses do what those harnesses do with the same text, never their random guesses. With two of
// them, tiger and tiger-strict, each letter from A to J counts as an answer, as it does for the authors of MMLU-Pro, also where
// the question has fewer options: 11,091 answers in one published log, and not 11,082. In all others a letter beyond the
// question's own options is none.
//
// Neighbours: package journal has the completions, package results keeps the marks, package metrics counts them.
package grade
