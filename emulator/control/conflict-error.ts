/** A valid call that the current state does not allow. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError'
  /** Stable, for programs. */
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
