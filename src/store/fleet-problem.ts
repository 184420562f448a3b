/** What is wrong with the connection to Redis, or with what is kept there. */
export type FleetProblemKind =
  | 'package-missing'
  | 'unreachable'
  | 'too-slow'
  | 'lost'
  | 'certificate'
  | 'wrong-password'
  | 'not-permitted'
  | 'read-only'
  | 'out-of-memory'
  | 'not-ready'
  | 'cluster'
  | 'failed'

/** What machines share in Redis cannot be used at the moment. Neither message nor hint contains a password. */
export class FleetProblem extends Error {
  override readonly name = 'FleetProblem'
  readonly kind: FleetProblemKind
  /** What to do next. */
  readonly hint: string | undefined

  constructor(kind: FleetProblemKind, message: string, { hint, cause }: { hint?: string; cause?: unknown } = {}) {
    super(message, { cause })
    this.kind = kind
    this.hint = hint
  }

  /** Whether it may pass by itself. */
  get isPassing(): boolean {
    return ['unreachable', 'too-slow', 'not-ready', 'lost'].includes(this.kind)
  }
}
