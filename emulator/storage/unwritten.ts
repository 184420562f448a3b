/** The database could not be written; all of the turn's writes are undone. */
export class UnwrittenError extends Error {
  override readonly name = 'UnwrittenError'
}
