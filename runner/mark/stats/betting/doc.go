// Package betting decides, one question after the other, how a model does beside another on a finite set of questions: whether
// it is worse, or not by a margin or more. One may look after every question and stop at any time: whatever the truth, the
// chance that it ever decides wrongly is at most alpha.
//
// It is a game against each hypothesis, after Waudby-Smith and Ramdas, arXiv 2010.09686, §5 on sampling without replacement: of
// the difference d of a question, −1, 0 or 1, the hypothesis says that its mean over the set is at most m. Several stakes play at
// once, since how large the difference is, is not known; their capitals' mean is the capital.
//
// # Why it holds for an order by subject
//
// Questions come in an order that holds subjects in proportion, or as a draw shares them out, not in one drawn from all. What is
// left of a set then has another mean than what comes next, so Ville's inequality says nothing of a capital that changes with
// each question. Here it changes with blocks, which are cut before any answer is known: each holds a_h ≥ 1 questions of every
// subject that has N_h − k_h > 0 left. Within a subject the order is drawn by chance. With N and k the sums of N_h and k_h, S
// the sum of d before the block, c = (N·m − S)/(N − k), and the weight v_h = A·(N_h − k_h)/(a_h·(N − k)) for each of the block's
// A questions, the capital is multiplied by Π (1 + λ·v_h·(d − c)), where λ is known before the block and so small that no factor
// is below 0.
//
// Under the hypothesis the mean of that product, given what came before, is at most 1:
//
//  1. A subject's questions in a block are drawn without replacement, so they are negatively associated, and factors that grow
//     with d have a product whose mean is at most the product of their means (Joag-Dev and Proschan 1983, Ann. Statist. 11:286).
//     Subjects are drawn independently. So it is at most Π (1 + λ·v_h·(r_h − c)) over the block's questions, with r_h the mean of
//     what is left of the subject.
//  2. A product of A numbers that are not below 0 is at most the A-th power of their mean, here of
//     1 + λ/A·Σ a_h·v_h·(r_h − c) = 1 + λ/(N − k)·(Σ (N_h − k_h)·r_h − (N·m − S)), where the first sum is the sum of d over
//     all that is left. Under the hypothesis that is at most N·m − S, so the mean is at most 1.
//
// The capital after each block is thus a supermartingale that begins at 1, and ever reaches 1/alpha with a chance of alpha at
// most (Ville). Between blocks it stays as it was. A question that failed counts as the least that it can be, which makes every
// factor smaller. Subjects of which nothing is drawn are no part of the set. Where there is one subject alone, each question is
// a block with v = 1: the game of the paper.
//
// Simulated 10,000 times each, over eleven sets of 400 to 800 questions and five ways of drawing them: orders by subject decide
// wrongly 0 to 1.9 % of the time, those drawn from all 0 to 2.1 %, where 5 % are allowed. Blocks take 3 % more questions than an
// order drawn from all would with MMLU-Pro's subjects.
//
// The files: verdict is the test and what it decides, block cuts an order, wager bets on it, size is for planning.
//
// Its callers are runner, which asks until that decides, and merge; samplesize plans with it.
package betting
