/** A seed that cannot be planted; the message names the place in it, as a JSON pointer, and what to do. */
export class SeedError extends TypeError {
  override readonly name = 'SeedError'
}
