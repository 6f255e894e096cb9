// Package registry is the registry of backends: it finds who answers for a model's reference, and opens it.
//
// [All] has a row for each way to name a model, in order; a new backend is a folder beside this one and a row here.
// [Options] are all that a user may ask of any of them. [OpenModel] opens a model to run, [OpenReader] only what turns
// text into tokens, [File] and [Inspect] look at its file, [List] finds what can be named, [Machine] says what this
// machine computes with. A flag that means nothing to the backend that was chosen is an error, never ignored.
//
// Neighbours: the command puts a specification's [backends.Settings] into [Options] and knows no backend itself; each
// backend's own package reads them.
package registry
