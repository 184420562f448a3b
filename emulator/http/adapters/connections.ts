import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { afterRealTime } from '../../clock/clock.ts'

/** How long a stream of events may take to leave once the server closes, in milliseconds: its reader may have stopped. */
const streamGraceMs = 200

/**
 * The connections of a server, and what is asked on each. For Node, one that has asked nothing yet is busy, and one in its
 * TLS handshake is none.
 */
export function trackConnections(server: Server) {
  /** By their other end: under TLS a plain socket becomes another one once the handshake is made. */
  const open = new Map<string, Socket>()
  /** The latest answer on each; answers leave in the order of their requests. */
  const answers = new WeakMap<Socket, ServerResponse>()
  const streams = new WeakSet<ServerResponse>()

  const add = (socket: Socket) => {
    const end = `${socket.remoteAddress} ${socket.remotePort}`
    open.set(end, socket)
    socket.once('close', () => {
      if (open.get(end) === socket) open.delete(end)
    })
  }
  const ask = ({ socket }: IncomingMessage, answer: ServerResponse) => void answers.set(socket, answer)
  server.on('connection', add).on('secureConnection', add).on('request', ask).on('checkContinue', ask)

  /** Ends a connection as soon as nothing is asked on it any more. */
  const endOnceIdle = (socket: Socket) => {
    const answer = answers.get(socket)
    if (answer === undefined || socket.destroyed) return void socket.destroy()
    if (isDone(answer)) return socket.destroySoon()
    for (const part of [answer, answer.req]) part.once('close', () => endOnceIdle(socket))
    if (streams.has(answer)) afterRealTime(streamGraceMs, () => socket.destroy())
  }

  return {
    /** The answer that a connection waits for or gets; undefined if nothing is asked on it. */
    openAnswer(socket: Socket): ServerResponse | undefined {
      const answer = answers.get(socket)
      return answer === undefined || isDone(answer) ? undefined : answer
    },
    /** Marks an answer as a stream that lasts until its server closes. */
    markStream: (answer: ServerResponse) => void streams.add(answer),
    /** Call once the server takes no more of them. */
    endAll() {
      for (const socket of open.values()) endOnceIdle(socket)
    },
    /**
     * Ends those that a browser keeps for its next request: it repeats a POST by itself that is reset on such a one, but not
     * on a new one. Other programs' stay, since one of their requests may be on its way.
     */
    endBrowsersIdle() {
      for (const socket of open.values()) {
        const answer = answers.get(socket)
        if (answer !== undefined && isDone(answer) && isBrowsers(answer.req)) socket.destroySoon()
      }
    },
    cutAll() {
      for (const socket of open.values()) socket.destroy()
    },
  }
}

export type Connections = ReturnType<typeof trackConnections>

/** Node's own `fetch` sends neither. */
function isBrowsers({ headers }: IncomingMessage): boolean {
  return headers.origin !== undefined || headers['sec-fetch-site'] !== undefined
}

/** Whether the whole request has arrived, and the whole answer has left. */
function isDone({ writableFinished, req }: ServerResponse): boolean {
  return writableFinished && req.complete
}
