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
