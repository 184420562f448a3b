import type { Socket } from 'node:net'
import type { Client, Dispatcher } from 'undici'
import type { Connection } from './open-connection.ts'

/** How an answer ended: undici takes the end of a connection for that of an answer without a length, though it was reset. */
export interface AnswerEnd {
  isCut: boolean
}

/** A dispatcher that an exchange may use. */
export interface Dispatching {
  readonly dispatcher: Dispatcher
  /** Begins an exchange. @returns what ends it; an aborted one sends no further bytes */
  begin(): (isAborted: boolean) => void
}

/** undici's timeouts are exact to a second only; the watch over each exchange replaces them. */
const untimed = { headersTimeout: 0, bodyTimeout: 0 }

/**
 * Loads undici with the first request, because it is the heaviest import. By its file, because Bun has another module of
 * the same name, without connections. Bundled CommonJS has a default export only.
 */
async function load() {
  return (await import('undici/index.js')).default
}

type OnOpen = (...opened: [Error, null] | [null, Socket]) => void

/** A client of undici with one connection at a time. */
function clientOn(undici: Awaited<ReturnType<typeof load>>, origin: string | URL, open: () => Connection): Client {
  let isCut = () => false
  // Fails with this library's errors only: after some errors of its own, undici connects again without end.
  const connect = (_: unknown, onOpen: OnOpen) => {
    const connection = open()
    connection.ready.then(
      (socket) => {
        isCut = () => (socket.readableEnded ? connection.isCut() : socket.destroyed)
        onOpen(null, socket)
      },
      (error) => onOpen(error, null),
    )
  }
  const client = new undici.Client(origin, { ...untimed, connect })
  const dispatch = client.dispatch.bind(client)
  client.dispatch = (options: Dispatcher.DispatchOptions & { readonly opaque?: AnswerEnd }, handler) => {
    let left = Number.NaN
    return dispatch(options, {
      onRequestStart: (...given) => handler.onRequestStart?.(...given),
      onResponseStart(controller, status, headers, text) {
        left = Number(headers['content-length'] ?? Number.NaN)
        handler.onResponseStart?.(controller, status, headers, text)
      },
      onResponseData(controller, chunk) {
        handler.onResponseData?.(controller, chunk)
        left -= chunk.length
        // undici takes an answer for cut whose connection ends while it is paused, though only its end is unread.
        if (left === 0) controller.resume()
      },
      onResponseEnd(...given) {
        if (options.opaque !== undefined) options.opaque.isCut = isCut()
        handler.onResponseEnd?.(...given)
      },
      onResponseError: (...given) => handler.onResponseError?.(...given),
    })
  }
  return client
}

/** A client with one connection, for one exchange. */
export async function openClient({ origin }: URL, open: () => Connection): Promise<Dispatching> {
  let connection: Connection | undefined
  const client = clientOn(await load(), origin, () => {
    connection = open()
    return connection
  })
  const begin = () => (isAborted: boolean) => {
    if (isAborted) connection?.reset()
    client.destroy().catch(() => {})
  }
  return { dispatcher: client, begin }
}

/** A pool of connections for many exchanges. */
export async function openPool({ origin }: URL, open: () => Connection) {
  const undici = await load()
  const opening = new Set<Connection>()
  let busy = 0
  const opened = () => {
    const connection = open()
    opening.add(connection)
    const settled = () => opening.delete(connection)
    connection.ready.then(settled, settled)
    return connection
  }
  const pool = new undici.Pool(origin, { factory: (base) => clientOn(undici, base, opened) })
  const resetOpening = () => {
    for (const connection of opening) connection.reset()
  }
  return {
    dispatcher: pool,
    begin() {
      busy += 1
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        busy -= 1
        // A connection that is still being opened would keep the process alive for nothing.
        if (busy === 0) resetOpening()
      }
    },
    async close() {
      resetOpening()
      await pool.destroy()
    },
  }
}
