// Data lies in the document as deflated JSON in base64, see package html; a piece is unpacked when it is asked for.

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// unpack gives the value that lies under an id.
export function unpack(id) {
  const deflated = new Blob([bytesOf(document.getElementById(id).textContent)]).stream();
  return new Response(deflated.pipeThrough(new DecompressionStream("deflate-raw"))).json();
}

const kept = new Map(); // the last chunks of texts that were unpacked, the oldest first
const mostKept = 24;

// textsOf gives the texts of the items of a chunk.
export function textsOf(chunk) {
  let texts = kept.get(chunk);
  if (texts) kept.delete(chunk);
  else texts = unpack("texts-" + chunk);
  kept.set(chunk, texts);
  if (kept.size > mostKept) kept.delete(kept.keys().next().value);
  return texts;
}
