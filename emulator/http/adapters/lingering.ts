import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { createSystemClock } from '../../clock/clock.ts'
import type { ConnectionLimits } from './connection-limits.ts'

/**
 * Reads and discards what the client still sends after its reply, within the limits. If unread bytes remain when the
 * connection closes, the system sends a reset, and a client or proxy may lose a reply it has not read yet.
 */
export function discardRest(incoming: IncomingMessage, limits: ConnectionLimits): void {
  let left = limits.lingerBytes
  incoming.on('error', () => {})
  incoming.on('data', (chunk: Uint8Array) => {
    left -= chunk.length
    if (left < 0) incoming.destroy()
  })
  lingerAtEnd(incoming, limits)
}

/** The latest request of each connection that was answered before it was read. */
const latestUnread = new WeakMap<Socket, IncomingMessage>()

/**
 * Node closes both directions of a connection that is not kept alive as soon as the reply is written. This closes only
 * the reply's direction at once, and the other one when the request ends (RFC 9112 9.6).
 */
function lingerAtEnd(incoming: IncomingMessage, { lingerIdleMs, lingerMs }: ConnectionLimits): void {
  const { socket } = incoming
  const isReady = latestUnread.has(socket)
  latestUnread.set(socket, incoming)
  // Once per connection; a kept connection serves many requests.
  if (isReady) return
  const end = socket.destroySoon.bind(socket)
  socket.destroySoon = () => {
    socket.destroySoon = end
    const last = latestUnread.get(socket)
    if (last === undefined || last.complete) return end()
    const closed = new AbortController()
    socket.once('close', () => closed.abort())
    last.once('end', end)
    socket.setTimeout(lingerIdleMs)
    socket.end()
    const cut = () => socket.destroy()
    createSystemClock()
      .sleep(lingerMs, closed.signal)
      .then(cut, () => {})
  }
}
