// Package betting decides, question after question, how a model compares with another on questions like those asked: whether it is
// worse by more than a margin, not worse by it, or better. One may look after every question and stop at any time: whatever the
// truth, the chance that it ever makes a given one of the decisions wrongly is at most alpha/2, and any of them at most alpha.
//
// It is a game against each hypothesis, after Waudby-Smith and Ramdas, arXiv 2010.09686, §4: the hypothesis says that the mean of a
// question's difference d, −1, 0 or 1, is at most m. Several stakes play at once, since the size of the difference is unknown; the
// capital is the mean of theirs.
//
// As for every interval of proctor's, the mean is over questions like those asked, not over these very questions. A run that has
// asked nearly all of a small set knows nearly all of the set's mean, and would call an equally good model worse for one wrong answer.
//
// # Why it holds for an order in proportion to subjects
//
// Questions come in an order with subjects in proportion, not in one drawn from all. The next question's mean then differs from the
// overall mean, so Ville's inequality does not apply to a capital that changes with each question. Here it changes with blocks, which
// are cut before any answer is known: each holds a_h ≥ 1 questions of every subject (a share p_h of the order), A in all. With the
// weight v_h = A·p_h/a_h the capital is multiplied by Π (1 + λ·v_h·(d − m)), where λ is so small that no factor is below 0.
//
// Questions are independent of each other, so the mean of this product is Π (1 + λ·v_h·(r_h − m)) over the block's questions, with
// r_h the mean of questions like the subject's. A product of A numbers that are not below 0 is at most the A-th power of their
// mean, here of 1 + λ/A·Σ a_h·v_h·(r_h − m) = 1 + λ·(Σ p_h·r_h − m), which is at most 1 under the hypothesis.
//
// The capital after each block is thus a supermartingale that starts at 1, and ever reaches 2/alpha with a chance of at most alpha/2
// (Ville). Between blocks it does not change. A failed question counts as its least possible difference, which makes every factor
// smaller. With one subject each question is a block with v = 1: the game of the paper.
//
// Its caller is package stopping.
package betting
