import { CodedError } from './coded-error.ts'

/** Something for Node was loaded for a browser. */
export class BrowserError extends CodedError {
  override readonly name = 'BrowserError'
  readonly code = 'not-for-browsers'
  /** What to do instead. */
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}
