// Package servers is the life of a model at one or more servers, whatever protocol they speak.
//
// [Model] implements [backends.Model] once: it meets the servers, checks that they hold the same model, plans a run,
// spreads its items over them and makes completions of their answers. A [Protocol] is how one server is asked.
//
// [Model.Generate] sends an item to whichever server has room, after an error to another one where there is one, until
// there is an answer. What an error means stands in one table (cause.go). What happens to a server:
//
//   - A server that cannot be reached gets no more items. It is visited until it answers again, with the same model; so
//     is one that was away when the run began. While none answers the items wait; after too long they fail at once,
//     with [backends.CauseConnection], until a server is back.
//   - The same goes for one that refuses the key, whose quota is used up, or that no longer has the model
//     ([Error.Lasts]). Before the first item such an error ends the run.
//   - One that is busy (status 429, 503 or 529) has not failed: items lose no try. It gets no requests for the pause
//     that it asks for, and then half as many at a time (pace.go). The wait does not count as an item's time. Items
//     fail where every request has been refused for as long as an item may take; a longer pause ends the run at once,
//     unless another server answers.
//   - Once an item has used up its tries, the next ones get one try each until one succeeds, so that a run against a
//     broken server ends. An error that the first requests all get ends it, and so do prompts that are cut.
//
// The files: protocol is what a server must do, model the backend's methods and the plan, pool the servers that answer
// and come back, pace how many requests each has, generate the way of an item, answer what comes of it, cause what went
// wrong, load the server's time, transport the bytes.
//
// Neighbours: packages ollama and openai are the protocols.
package servers
