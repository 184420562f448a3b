/** Of one chunk, in letters: what a socket takes at once. */
const chunkLength = 65_536

/** Lists and objects are taken apart down to here: a snapshot's records, one by one. */
const levels = 3

/**
 * Writes a value as `JSON.stringify` does, in chunks as they are read: the text of a snapshot is as large again as the
 * snapshot.
 */
export async function* toJsonStream(value: object): AsyncGenerator<Uint8Array> {
  let text = ''
  for (const piece of piecesOf(value, levels)) {
    text += piece
    if (text.length < chunkLength) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}

function* piecesOf(value: unknown, depth: number): Generator<string> {
  if (typeof value === 'string' && value.length > chunkLength) return yield* piecesOfText(value)
  if (depth === 0 || typeof value !== 'object' || value === null) return yield JSON.stringify(value) ?? 'null'
  const isList = Array.isArray(value)
  const entries = Object.entries(value).filter(([, member]) => isList || member !== undefined)
  let opening = isList ? '[' : '{'
  for (const [name, member] of entries) {
    yield isList ? opening : `${opening}${JSON.stringify(name)}:`
    yield* piecesOf(member, depth - 1)
    opening = ','
  }
  yield `${entries.length === 0 ? opening : ''}${isList ? ']' : '}'}`
}

/** A cut in the middle of a surrogate pair leaves two escapes, which are read as the pair. */
function* piecesOfText(text: string): Generator<string> {
  yield '"'
  for (let at = 0; at < text.length; at += chunkLength) {
    yield JSON.stringify(text.slice(at, at + chunkLength)).slice(1, -1)
  }
  yield '"'
}
