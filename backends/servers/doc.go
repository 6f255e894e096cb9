// Package servers spreads items over servers, whatever protocol they speak.
//
// A [Pool] knows which servers answer and how many requests each has. [Pool.Complete] asks for an item until there is an answer,
// at whichever server has room, another one after an error where there is one ([Error] says what an error means). What becomes of
// a server:
//
//   - One that cannot be reached gets no more items and is looked after until it answers, with the same model; so is one that was
//     away when the run began. While none answers the items wait, and when that has lasted too long they fail at once, with
//     [backends.CauseConnection], as long as it lasts.
//   - So does one that refuses a key, whose quota is used up or that has not the model any more ([Error.Lasts]): it is looked after until
//     it takes requests again. Before a run begins, that ends it.
//   - One that refuses requests for now (status 429, or 503 with Retry-After) is no failure: no item loses a try by it. The server is
//     left alone for as long as it asks, and then gets requests at the pace that it takes (pace.go says how it is learnt).
//     Waiting for that is none of an item's time. Where every request has been refused for as long as an item may take, items fail; a
//     pause longer than that ends the run at once, where no other server goes on.
//   - One that answers, but with nothing but errors, is taken out while others do better: a request now and then finds out whether
//     it has recovered. That is the circuit breaker.
//   - An item whose tries are used up leaves the next ones one try each, until one succeeds: what can answer nothing is not asked
//     for hours.
//
// [Load] shares a server's time out among the answers that it writes at a time, [Fastest] finds how many those should be, and
// [Truncations] stops a run whose prompts are cut. A [Transport] carries requests, sees how answers begin and end, and ends those that
// are too long; an [Answer] does the same for what comes of it.
//
// Neighbours: packages ollama and openai speak to the servers.
package servers
