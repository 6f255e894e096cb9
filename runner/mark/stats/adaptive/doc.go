// Package adaptive decides as package betting does, with more of the questions whose answers are likely to differ: how a model does
// beside another on a finite set of questions, whether it is worse, or not by a margin or more. One may look after every question
// and stop at any time: whatever the truth, the chance that it ever decides wrongly is at most alpha.
//
//	predictions ─ Cut ─▶ strata ─ New ─▶ Test ─ Next ─▶ a block's questions ─ Pieces, Begin, Add ─▶ Verdict, Interval
//
// The reference's answers are known for all questions. Questions that it has right can only be lost, the others only be won; so
// these are apart, and each side is cut by doubt, which is anything that tells where answers may flip. Within a stratum questions
// come in an order drawn by chance. How many of each come next is decided block after block by what is known by then: so many that
// each stratum tells as much against the hypothesis, wherever in the set that hides what it needs (see inform.go), mixed with a
// uniform share. A logistic model of flips by doubt, fitted to what is known, gives what is expected. Predictions that say nothing,
// or the contrary, are found out so, and cost a few questions only. Where many answers flip these are nearly Neyman's shares (1934,
// J. R. Stat. Soc. 97:558), in proportion to N_h·σ_h. Fogliato and others, arXiv 2406.07320, have strata and Neyman's
// shares for the evaluation of models; Shekhar and others, arXiv 2305.06884, bet on weighted draws without replacement; arXiv
// 2403.03208 and 2601.20251 weigh each question by itself, with known questions as controls.
//
// # Why it holds
//
// Before a block, everything below is a function of what is known by then: a_h questions of each stratum, at least one wherever
// N_h − k_h = L_h > 0 are left; a control f_h, the mean difference that is expected there; a stake λ. With A = Σ a_h, L = Σ L_h, the
// weight v_h = A·L_h/(a_h·L), F = Σ L_h·f_h/L, S the sum of d that is known, and c = (N·m − S)/L, which is the largest mean
// that the hypothesis "the mean over the set is at most m" leaves for the rest, the capital is multiplied by
//
//	Π (1 + λ·(v_h·(d − f_h) + F − c))
//
// over the block's questions, λ so small that no factor is below 0. Under the hypothesis the mean of that, given what came before,
// is at most 1, as in package betting: a stratum's questions in a block are drawn without replacement, so they are negatively associated,
// and factors that grow with d have a product whose mean is at most the product of their means (Joag-Dev and Proschan 1983,
// Ann. Statist. 11:286); strata are drawn independently; and a product of A numbers that are not below 0 is at most the A-th power
// of their mean, here of 1 + λ/A·Σ a_h·(v_h·(r_h − f_h) + F − c) = 1 + λ·(Σ L_h·r_h/L − c), with r_h the mean of what is left in a
// stratum: f_h cancels. Under the hypothesis Σ L_h·r_h/L is at most c. So the capital is a supermartingale that begins at 1, and
// ever reaches 1/alpha with a chance of alpha at most (Ville 1939). This asks nothing of the predictions, of the model, or of how a
// block's a_h are chosen, but that none of them looks at what is still to come.
//
// A question that failed counts as the least that it can be: each factor is then smaller, c is larger than the true one, and so the
// step's mean is at most 1 as before. What is learnt leaves it out.
//
// Half of the capital is spread over stakes, most of that with the stake that seems best before each block. The other half has
// controls of its own, which the proof leaves open: λ·v_h = κ_h = ν·L_h/(L·a_h) and f_h = ±η_h, the least favourable shares that the
// hypothesis allows, for which F is c or more. Then 1 + κ_h·(d − f_h) is the ratio of the likelihoods of what is expected and of η_h,
// so that no factor is below 0, whatever ν; smaller parts of the bet play beside it, whose factors lie between 1 and that.
//
// Intervals invert the test: see [Test.Interval].
//
// # Simulated
//
// Ten thousand runs at each null (LONG=1 go test) decide wrongly as often as this, where 5 % are allowed; of sets with 400 questions and
// a margin of 5 points:
//
//	equal models: few answers flip 0 %, many 0.19 %, useless predictions 0.44 %, misleading ones 0.33 %, perfect ones 0 %;
//	of 100 questions 0.16 %; a twentieth fails 0.01 %
//	worse by just the margin: few flip 0.64 %, many 0.38 %, useless 0.70 %, misleading 0.81 %, all of them where doubt is least
//	0.66 %, perfect 0.02 %; of 100 questions 0.52 %; a tenth fails 0 %
//	one subject has all flips, and doubt of its own: equal 0 and 0.38 %, worse by the margin 0.46 to 0.71 %
//
// How many questions it takes beside a uniform draw stands in docs/statistics.md.
//
// The files: stratum cuts a set, expect is the model of flips, inform says how a block is
// shared out and allocate deals it out, pieces cuts it, test is the test and what it decides, wager bets by stakes, ratio by
// likelihoods, interval inverts the test, quality and calibration say what doubt was worth, before begins as earlier versions did.
//
// Its callers are runner/ask/stopping, which asks until it decides, and runner/mark/metrics.
package adaptive
