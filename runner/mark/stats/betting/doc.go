// Package betting decides, one question after the other, how a model does beside another on questions like those that are asked:
// whether it is worse by more than a margin, not worse by it, or better. One may look after every question and stop at any time:
// whatever the truth, the chance that it ever makes one of the decisions wrongly is at most alpha/2, and any at most alpha.
//
// It is a game against each hypothesis, after Waudby-Smith and Ramdas, arXiv 2010.09686, §4: of the difference d of a question, −1, 0
// or 1, the hypothesis says that its mean is at most m. Several stakes play at once, since how large the difference is, is not known;
// their capitals' mean is the capital.
//
// The mean is of questions like those asked, as every interval of proctor's is, not of these very questions: who has asked nearly all
// of a small set knows nearly all of its mean, and a model that is as good as another would be called worse for one question that it
// got wrong.
//
// # Why it holds for an order by subject
//
// Questions come in an order that holds subjects in proportion, not in one drawn from all. What comes next then has another mean than
// all of it, so Ville's inequality says nothing of a capital that changes with each question. Here it changes with blocks, which are
// cut before any answer is known: each holds a_h ≥ 1 questions of every subject, which is p_h of the order, A in all. With the
// weight v_h = A·p_h/a_h the capital is multiplied by Π (1 + λ·v_h·(d − m)), where λ is so small that no factor is below 0.
//
// Questions are independent of each other, so the mean of that product is Π (1 + λ·v_h·(r_h − m)) over the block's questions, with
// r_h the mean of questions like the subject's. A product of A numbers that are not below 0 is at most the A-th power of their
// mean, here of 1 + λ/A·Σ a_h·v_h·(r_h − m) = 1 + λ·(Σ p_h·r_h − m), which is at most 1 under the hypothesis.
//
// The capital after each block is thus a supermartingale that begins at 1, and ever reaches 2/alpha with a chance of alpha/2 at
// most (Ville). Between blocks it stays as it was. A question that failed counts as the least that it can be, which makes every
// factor smaller. Where there is one subject alone, each question is a block with v = 1: the game of the paper.
//
// Its caller is stopping, which asks until that decides.
package betting
