import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createSystemClock } from '../../clock.ts'
import type { ConnectionLimits } from './connection-limits.ts'

interface Answered {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly server: Server
  readonly limits: ConnectionLimits
}

/**
 * Reads and drops what a client still sends after its answer, within the limits. A connection that ends with bytes unread
 * is reset by the system, and a reset takes the answer away from a client, or a proxy, that has not read it yet.
 */
export function dropRest({ incoming, outgoing, server, limits }: Answered): void {
  let left = limits.lingerBytes
  incoming.on('error', () => {})
  incoming.on('data', (chunk: Uint8Array) => {
    left -= chunk.length
    if (left < 0) incoming.destroy()
  })
  // Its connection was busy when a closing server ended the idle ones.
  incoming.on('end', () => {
    if (!server.listening && outgoing.writableEnded) incoming.socket.end()
  })
  lingerAtEnd(incoming, limits)
}

/** The latest request of a connection that was answered before it was read. */
const latest = new WeakMap<Socket, IncomingMessage>()

/**
 * Node ends a connection that is not kept, both ways, as soon as its answer is written. Here only the answer's way ends at
 * once, as RFC 9112 9.6 has it; the other one ends with the request.
 */
function lingerAtEnd(incoming: IncomingMessage, { lingerStillMs, lingerMs }: ConnectionLimits): void {
  const { socket } = incoming
  const isReady = latest.has(socket)
  latest.set(socket, incoming)
  // Once for each connection: a kept one has any number of requests.
  if (isReady) return
  const end = socket.destroySoon.bind(socket)
  socket.destroySoon = () => {
    socket.destroySoon = end
    const last = latest.get(socket)
    if (last === undefined || last.complete) return end()
    const closed = new AbortController()
    socket.once('close', () => closed.abort())
    last.once('end', end)
    socket.setTimeout(lingerStillMs)
    socket.end()
    const cut = () => socket.destroy()
    createSystemClock()
      .sleep(lingerMs, closed.signal)
      .then(cut, () => {})
  }
}
