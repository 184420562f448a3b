/** A program that Redis runs as one step: nothing else happens there meanwhile. */
export interface RedisScript {
  /** In Lua; its keys are {@link fleetKeys}. */
  readonly text: string
  /** By which a server names it: its SHA-1, in hex. */
  readonly digest: string
}

/** The way to one Redis server. */
export interface RedisLink {
  /**
   * Runs a script. The call ends within about a second, connecting included.
   *
   * @returns the script's answer: text, numbers, null and arrays of these
   * @throws FleetProblem if the server cannot be reached, is too slow, or refuses; the script may have run all the same
   */
  run(script: RedisScript, args: readonly string[]): Promise<unknown>
  /**
   * Sends one command, such as `['INFO', 'memory']`.
   * @throws FleetProblem like `run`
   */
  send(command: readonly string[]): Promise<unknown>
  /** Calls a function whenever the connection is lost. */
  onLost?(then: () => void): void
  /** Ends the connection once no call is under way; the next call makes a new one. A ready client of the caller's stays open. */
  close(): void
}

/** What is wrong with the way to Redis. */
export type FleetProblemKind =
  | 'package-missing'
  | 'unreachable'
  | 'too-slow'
  | 'certificate'
  | 'wrong-password'
  | 'not-permitted'
  | 'read-only'
  | 'out-of-memory'
  | 'not-ready'
  | 'cluster'
  | 'failed'

/** Redis cannot be used at the moment. Neither message nor hint contains a password. */
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
    return ['unreachable', 'too-slow', 'not-ready'].includes(this.kind)
  }
}
