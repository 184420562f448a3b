import type { SecureContext } from 'node:tls'
import type { RedisLine } from './redis-line.ts'
import type { RedisPackage } from './redis-package.ts'
import type { RedisAddress } from './redis-url.ts'

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
