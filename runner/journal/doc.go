// Package journal keeps what a run asked and what came back: one file, append-only, from which every report can be
// made again without a model. This comment is the format's specification.
//
// # File
//
// A journal is JSON Lines in UTF-8, one object a line, each line ended by a line feed. In a run's folder it is called
// journal.jsonl. The first line has kind "run" and is the [Header]: everything that is the same for all items. Each
// other line has kind "item", "partial" or "look". The types' JSON names are the format's field names.
//
// A line of kind "item" is a [Record]: one item's prompt and completion, without any verdict. The exact prompt of an
// item is its subject's entry in the header's preambles followed by the item's own prompt; a journal made from another
// harness's log may lack both, and has the question's text. Ids are task/question or task/question/variant. Where a
// run asks every item several times, which the header's repeats says, the second time has the id with "#2" behind it and
// repeat 2, the third "#3" and 3, and so on; the first time has neither. The sampling seed of repeat r is
// (sampling.seed + (r−1)·2654435769) mod 2³².
//
// A record says when the backend took the item (began) and for how long it had it (timing.total_ns): how long a run took
// is how long there was at least one item with the backend, so that a pause between a run and its resumption does not
// count. Its moments never step back, even where the machine's clock was set back: a session's are the first one and what
// passed since, and none is before the end of an earlier session. What the model took to load stands in the header (load_ns);
// where a run was resumed it is that of the beginning. new_tokens, summed over the items of any part of a run's order, is the size
// of the prefix tree of their prompts, where a prompt that repeats an earlier one adds its last token, which must be evaluated
// again.
//
// Where the backend computes on this machine's CPUs, about one line a second tells with others what share of them other programs
// took since the last line that told it: over all lines, their load while the run ran, and how it changed. An engine whose number of
// threads was left open makes room for them; threads is on how many it computed at least.
//
// Where the header has logprobs, a file beside the journal holds what the model said of each token of the completions; an item's
// logprobs say where in it its part starts, how long it is, and its SHA-256. Package logprobs specifies that file.
//
// A task whose name ends in _direct asked for the letter at once, and generated nothing: an item's letter_logprobs are the natural
// logarithms of its letters' probabilities behind the prompt, from A on, over the whole vocabulary (to 9 decimals), its text the
// likeliest letter, the first of equals, and usage.output_tokens 0. The header's direct has the tokens that were counted as the
// letter A; sampling.max_tokens is 0.
//
// A style or a rule set that people wrote for the run stands in style_file or rule_file with all of its text, a system text in
// system: what was asked, and how it is marked, can be known where the file is not.
//
// A chat template that people wrote stands in chat_template with all of its text, variables that they gave one in template_args, and in
// date what conversations were told of the time.
//
// The header's flags are what the run is, as its command line would say it (package spec): a run that goes on reads them, and what the
// header has of the files that they name, never the command line. Where anything is sent or written and whose code is loaded, the call has
// to say too: a journal may be anybody's. Flags are no part of the fingerprint, which sees what came of them.
//
// A run that was extended to more questions ([Continuation.Extends]) has the header of one that asked them from the start, in a file that
// replaced the other as a whole, and the draws that it had before in extended_from, which says in what order it asks: these
// questions, by subject and number, before those that came later. like has the ids of the questions that were drawn before
// any others. Neither is a part of the fingerprint: ids_sha256 sees what came of them.
//
// Where the cap on tokens was raised ([Continuation.Raises]), asked_again has each cap that held before and which items were asked again under the
// next one; sampling.max_tokens is the cap that holds now, and each line since the first time has its own in max_tokens. The first
// answers' lines stay; those that replace them have the same ids and higher attempts.
//
// The header's thinking_marks names the ways to mark thinking that the program knew which wrote the journal, and whose
// special tokens its engine gives as text: where thinking is left out when an answer is marked, it is what they mark. A
// journal without it is marked by the tags <think> and </think> alone.
//
// Where tokens were drawn as the model's own file or server says, sampling.from has who says each of the numbers, which are the header's: a
// run goes on only where the model still says the same. An item's usage.drafted_tokens are what a server's speculative decoding guessed ahead,
// usage.accepted_tokens what it took of them, and system_fingerprint what the server says of its build; none of these is a part of the
// fingerprint.
//
// Where the header has think_budgets, thinking was ended after so many tokens of it: the mark that closes it was forced, and
// the answer, which sampling.max_tokens caps then, follows. think_closed marks the items of which that
// was done at the last budget. Where there are several, an item's forks are how it goes on where its thinking is closed at a smaller
// one: the first shared bytes of its text, and then the fork's own; it has none at budgets that its thinking did not reach, where
// it is the same. usage and timing are without the forks'.
//
// A shard of a run that was divided (package shard) has the header that the whole run would have, and with it its fingerprint, but
// for shard, which says which one it is, how many items it asks and what their ids are. A run made of shards (package merge) has in
// merged how many there are, which were not there, and where each was asked; its lines are those of the shards, byte for byte, the
// first shard's first.
//
// A line of kind "look" is an [Interim]: an interim analysis of a run that stops once it is decided how it does beside another one
// (selection.until_decided), with the number of questions asked by then, and whether the run stopped there. It is history and not a
// verdict on any item: the decision is kept because it was made, and a resumed run makes none a second time. selection.items and
// selection.questions count what such a run asks at most. It has no shards; the looks of shards that an older version merged are
// ignored.
//
// A line of kind "partial" is a [Partial]: the tokens that an unfinished answer had when the run was interrupted, and each minute before,
// or that nothing is known of them. A resumed run goes on behind them, where its backend can: an item's begun says how many of its
// completion's tokens it took from there, and interrupted how often it was asked in vain. The item's line replaces them; but the time for
// which the backend had an unfinished answer has passed, too, and counts.
//
// Line order means nothing, but that a partial's tokens follow those of the one before it, and that a later line with an id (of an
// interim analysis, a number) seen before replaces the earlier one: so a failed item is asked again by appending.
//
// # Versions
//
// The header's version is 1. It is raised when a field changes its meaning, is removed, or joins the fingerprint of
// journals that could be written before; a reader refuses any version but its own. Fields may be added without raising
// it: a reader ignores fields it does not know. Such a field may join the fingerprint where it is set, as repeats,
// selection.until_decided, style_file, chat_template,
// template_args, system, reasoning_effort, think_budgets and asked_again do: journals
// without it keep theirs, and a reader that does not know it says that the fingerprint is not
// that of the header's fields. A kind it does not know is an error.
//
// A field that this program no longer has is ignored where an older version wrote it, and a warning names it; the fingerprint, which
// may be over it, is then not checked. What an older version decided stays decided.
//
// # Damage
//
// No line is longer than 64 MiB: neither is a longer one read, nor written. An item whose texts would make it longer, or that is too
// large to be asked, has the cause OVERSIZE and none of them; asking it again would change nothing, so it counts as done.
//
// A record is written with a single call, so a killed process can leave at most one unfinished line, the last. A last
// line that has no line feed and is not whole JSON is left out with a warning, and is cut off when the run is resumed;
// its item is asked again. A journal whose first line is not whole holds nothing, and is begun anew. Anything else that is malformed
// is an error that names file and line.
//
// # Durability
//
// A record is in the operating system's hands when [Writer.Append] returns: killing the program loses nothing of it.
// Against the machine itself going down, the file is synced when it is created and on Close, and within a second of each Append.
// Where a sync fails nothing more is written. A file that is deleted or replaced while it is written is found out within a second of
// the next Append, which saves what the open file holds beside it. A journal that is open for writing is locked (flock), so that a
// second process cannot write to it; a file system that has no locks gives no such protection,
// which [Writer.Unlocked] says.
//
// # Fingerprint
//
// The header's fingerprint is a SHA-256 over what decides the prompts and the completions; a run is resumed, and
// shards are merged, only under the same one. In it are:
//
//   - task, pattern; dataset.sha256, dataset.split; selection.ids_sha256, which are the ids of the whole run
//   - style, shots, prompt_mode, think, and each subject's preamble; style_file's and chat_template's sha256, template_args,
//     system, reasoning_effort and think_budgets, where set
//   - model.file_sha256 (model.ref where there is no file to hash), model.architecture, parameters, quantization and
//     chat_template_sha256
//   - backend.name, version, gpu_layers, kv_type, flash_attention, and whether backend.slots is 1 or more; kernels,
//     extra_body and devices where it has them; what backend.features lists is compared beside the fingerprint where kernels is ggml, whose bits
//     depend on what it was compiled for, or flash_attention is off, as ggml's kernels compute attention then
//   - sampling, all of it; the penalties where they are set; asked_again, where set
//   - repeats, where above 1
//
// Left out are what only says when, where and how fast (tool_version, created, host, load_ns, threads, batch, ubatch,
// context, kernel_level, level_forced, multiplying, offloaded, features), names and paths (dataset.name, model.name), what
// only marks (rule_set, rule_file, strip_thinking, thinking_marks), notes, flags, extended_from, logprobs, direct, shard, merged.
//
// Slots take part only as "1" or "several". Greedy text depends on which items meet in a batch. With one slot they
// never meet, which makes that the reproducible reference, and it may not be mixed with anything else. With several
// slots the meeting depends on timing anyhow, and a run may be finished on a machine that holds fewer of them; the
// header then keeps the number the run was begun with.
//
// Neighbours: package runner writes journals; grade marks them and results reads them; importlog makes them from the logs of
// other harnesses.
package journal
