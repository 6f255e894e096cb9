// Package pooled makes one decision about two models of what several tasks, or several sets, say of them.
//
//	pairs.Comparison of each task ─ clusters ─ stats.PairedTotalsAs ─▶ Pooled
//
// The difference is the mean of the tasks' paired differences, each task counting the same, as in runner/mark/combine. The
// independent units are the questions: tasks of one set ask the same ones, so a question's totals in all of them are one unit,
// and what the tasks' errors have in common is in the variance. Questions of several sets are independent, and each set is a
// stratum. The files: pooled is the result, clusters the questions with their totals of every task.
//
// Neighbours: runner/mark/pairs compares task by task and has the rule of the decision; runner/report/pooled lays the result out.
package pooled
