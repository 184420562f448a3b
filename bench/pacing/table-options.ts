export interface TableOptions {
  /** Decides all that is random. */
  readonly seed: number
  /** Fewer runs, for a look. */
  readonly quick: boolean
}
