import type { SecureContext } from 'node:tls'
import type { RedisPackage } from './redis-package.ts'
import type { RedisAddress } from './redis-url.ts'

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

interface ConnectionOptions {
  readonly address: RedisAddress
  /** Undefined: the authorities that Node trusts. */
  readonly secureContext: SecureContext | undefined
  /** Without an answer for so long, an attempt to connect ends by itself, in milliseconds. */
  readonly connectTimeoutMs: number
  /** Called when the connection is cut, and when what arrives is not Redis' protocol. */
  readonly onError: (error: unknown) => void
}

/**
 * Opens a connection that is never opened a second time, and repeats no command. It does not keep the process alive.
 */
export function connectRedis({ createClient }: RedisPackage, options: ConnectionOptions): RedisLine {
  const { address, secureContext, connectTimeoutMs, onError } = options
  const { host, port, isTls, username, password, database } = address
  const place = { host, port, connectTimeout: connectTimeoutMs, reconnectStrategy: false } as const
  const client = createClient({
    socket: isTls ? { ...place, tls: true, ...(secureContext && { secureContext }) } : place,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    database,
    RESP: 2,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
  })
  let isDropped = false
  // It is an EventEmitter: an error without a listener would end the process.
  client.on('error', onError)
  client.unref()
  const drop = () => {
    isDropped = true
    // Version 5 throws where there is nothing to destroy.
    if (client.isOpen) client.destroy()
  }
  const ready = client.connect().then(() => {
    // A client that is destroyed while it connects may connect all the same.
    if (isDropped) client.destroy()
  })
  ready.catch(() => {})
  return { ready, drop, send: (command) => client.sendCommand([...command]) }
}
