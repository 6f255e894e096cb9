// Package servers spreads items over servers, whatever protocol they speak.
//
// A [Pool] knows which servers answer and how many requests each has. [Pool.Complete] sends an item to whichever server has room, after an
// error to another one where there is one, until there is an answer ([Error] says what an error means). What happens to a server:
//
//   - A server that cannot be reached gets no more items. It is probed until it answers again, with the same model; so is one that was
//     away when the run began. While none answers the items wait; after too long they fail at once, with [backends.CauseConnection],
//     until a server is back.
//   - The same goes for one that refuses the key, whose quota is used up, or that no longer has the model ([Error.Lasts]). Before the
//     first item such an error ends the run.
//   - One that is busy (status 429, or 503 with Retry-After) has not failed: items lose no try. It gets no requests for the pause that
//     it asks for, and then half as many at a time (pace.go). The wait does not count as an item's time. Items fail where every request
//     has been refused for as long as an item may take; a longer pause ends the run at once, unless another server answers.
//   - Once an item has used up its tries, the next ones get one try each until one succeeds, so that a run against a broken server ends.
//
// pace.go finds how many requests at a time a server answers fastest, on the run's own. [Load] shares its time out
// among the answers that it writes at a time, and [Truncations] stops a run whose prompts are cut. A [Transport]
// carries requests, sees how answers begin and end, and ends those that are too long; an [Answer] does the same for
// what comes of it.
//
// Neighbours: packages ollama and openai speak to the servers.
package servers
