import { connect, isIP, type Socket } from 'node:net'

/** A connection for one exchange. */
export interface NodeConnection {
  /** What the exchange is spoken on: the connection itself, or TLS on it. */
  readonly stream: Socket
  /**
   * Gives the connection up. What was handed over and has not left this machine is dropped; closed in the usual way, the
   * system would go on sending it, and an upload that was taken for lost would arrive after all.
   */
  reset(): void
}

export interface NodeConnectionOptions {
  /** Certificate authorities in PEM to trust, in place of the system's. */
  readonly ca?: string | undefined
  /** Absent for a connection without TLS. */
  readonly tls?: typeof import('node:tls') | undefined
}

/** Opens a connection to the host of a URL. */
export function openConnection({ hostname, port }: URL, { ca, tls }: NodeConnectionOptions): NodeConnection {
  const host = hostname.replace(/^\[|\]$/g, '')
  // As Node's own agents do: the end of a body is not held back until what stands before it has been acknowledged.
  const socket = connect({ host, port: Number(port) || (tls ? 443 : 80), noDelay: true })
  const resettable = (stream: Socket): NodeConnection => ({
    stream,
    reset() {
      // What is not connected yet has sent nothing, and would be connected first to be reset.
      if (socket.connecting) socket.destroy()
      // One that has been ended has had its answer; and Node never closes what is reset while it is being shut down.
      else if (!stream.writableEnded && !socket.destroyed) socket.resetAndDestroy()
    },
  })
  if (tls === undefined) return resettable(socket)
  const servername = isIP(host) ? '' : host
  const stream = tls.connect({ socket, host, servername, ALPNProtocols: ['http/1.1'], ...(ca !== undefined && { ca }) })
  // What TLS is spoken on tells nobody else of its trouble.
  socket.on('error', (error) => stream.destroy(error))
  return resettable(stream)
}
