/** A call that is well formed but cannot be done as things are. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError'
  /** Stable, for programs. */
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
