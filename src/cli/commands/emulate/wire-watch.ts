import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request to a server of this process, as Node's HTTP server receives it. */
export interface WireExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The headers of the answer set so far. */
  sentHeaders(): Readonly<Record<string, unknown>>
}

/** Node's diagnostics channel for received requests; it costs nothing without subscribers. */
const arrivals = 'http.server.request.start'

/**
 * Calls back for every request from now on, before any handler sees it.
 * @returns stops it
 */
export function watchWire(onArrival: (exchange: WireExchange) => void): () => void {
  const listen = (message: unknown) => {
    const { request, response } = message as Pick<WireExchange, 'request' | 'response'>
    onArrival({ request, response, sentHeaders: headersOf(response) })
  }
  subscribe(arrivals, listen)
  return () => void unsubscribe(arrivals, listen)
}

/** `getHeaders()` does not include headers passed to `writeHead`, so that call is intercepted. */
function headersOf(response: ServerResponse): () => Readonly<Record<string, unknown>> {
  let given: unknown
  const writeHead = response.writeHead.bind(response) as (...words: readonly unknown[]) => ServerResponse
  response.writeHead = (...words: readonly unknown[]) => {
    given = words.at(-1)
    return writeHead(...words)
  }
  return () => ({ ...response.getHeaders(), ...(typeof given === 'object' && given) })
}
