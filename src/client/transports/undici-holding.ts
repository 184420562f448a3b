import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import type { Connection } from './open-connection.ts'

type Handler = Dispatcher.DispatchHandler

/** How an answer ended: undici takes the end of a connection for that of an answer without a length, though it was reset. */
export interface AnswerEnd {
  isCut: boolean
}

/**
 * A handler of undici that lets no answer pause the parser: where the connection ends meanwhile, undici 7 ends the process
 * (nodejs/undici#5360). While its reader has enough unread, 64 KiB, the bytes wait in the socket.
 *
 * @param socketOf the socket of the exchange, once it has begun
 * @param end gets known with the end of the answer
 */
export function holdingHandler(handler: Handler, socketOf: () => HeldSocket | undefined, end: AnswerEnd): Handler {
  let socket: HeldSocket | undefined
  return {
    onConnect(abort) {
      socket = socketOf()
      handler.onConnect?.(abort)
    },
    onHeaders: (status, headers, _, text) =>
      handler.onHeaders?.(status, headers, () => socket?.release(), text) ?? true,
    onData(chunk) {
      if (handler.onData?.(chunk) === false) socket?.hold()
      return true
    },
    onComplete(trailers) {
      if (socket?.isCut()) end.isCut = true
      handler.onComplete?.(trailers)
      // The next answer on this connection has a reader of its own.
      socket?.release()
    },
    onError: (error) => handler.onError?.(error),
  }
}

/** A socket whose reader can be made to wait; the network then waits too, once the socket's own buffer is full. */
export function heldSocket(socket: Socket, connection: Pick<Connection, 'isCut'>) {
  const { read } = socket
  let isHeld = false
  socket.read = (size) => (isHeld ? null : read.call(socket, size))
  return {
    hold() {
      isHeld = true
    },
    release() {
      if (!isHeld) return
      isHeld = false
      // Later, because undici may be parsing a chunk.
      process.nextTick(() => socket.emit('readable'))
    },
    /** Whether an answer that ends here, with the connection, broke off. */
    isCut: () => (socket.readableEnded ? connection.isCut() : socket.destroyed),
  }
}

export type HeldSocket = ReturnType<typeof heldSocket>
