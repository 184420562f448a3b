/** The way that calls take at the moment. It is lost once and for all: the next call makes a new one. */
export interface RedisLine {
  /** Resolves once commands can be sent; rejects if that fails. */
  readonly ready: Promise<unknown>
  send(command: readonly string[]): Promise<unknown>
  /** Drops the connection. What was sent on it may run all the same. */
  drop(): void
}

/** A client of Redis that the caller has connected: of `redis` or `@redis/client`, of ioredis or iovalkey. */
export type ReadyRedisClient =
  | { sendCommand(command: string[]): Promise<unknown> }
  | { call(command: string, ...args: string[]): Promise<unknown> }

/** Calls through a client of the caller's, which stays open and connects again by itself. */
export function readyLine(client: ReadyRedisClient): RedisLine {
  return {
    ready: Promise.resolve(),
    // ioredis has both, and its `sendCommand` takes an object of its own.
    send: async ([command = '', ...args]) =>
      textsOf(await ('call' in client ? client.call(command, ...args) : client.sendCommand([command, ...args]))),
    drop: () => {},
  }
}

/** A client may be set to give bytes in place of text. */
function textsOf(answer: unknown): unknown {
  if (Buffer.isBuffer(answer)) return answer.toString()
  return Array.isArray(answer) ? answer.map(textsOf) : answer
}
