// The report of a run that still lasts loads itself anew. The browser keeps the reader's place, the address the filters.
setTimeout(() => location.reload(), 1000 * document.querySelector("meta[name=reload]").content);
