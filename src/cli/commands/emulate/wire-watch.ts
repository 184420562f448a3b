import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request to a server of this process, seen where Node takes it in. */
export interface WireExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The headers of the answer, as far as it has any yet. */
  sentHeaders(): Readonly<Record<string, unknown>>
}

/** Node's own name for what happens to every request that its servers take in; unheard it costs nothing. */
const arrivals = 'http.server.request.start'

/**
 * Tells of all requests from now on, each before it is looked at by anybody.
 * @returns ends it
 */
export function watchWire(onArrival: (exchange: WireExchange) => void): () => void {
  const listen = (message: unknown) => {
    const { request, response } = message as Pick<WireExchange, 'request' | 'response'>
    onArrival({ request, response, sentHeaders: headersOf(response) })
  }
  subscribe(arrivals, listen)
  return () => void unsubscribe(arrivals, listen)
}

/** Node forgets the headers that are given together with the status, so they are listened for. */
function headersOf(response: ServerResponse): () => Readonly<Record<string, unknown>> {
  let given: unknown
  const writeHead = response.writeHead.bind(response) as (...words: readonly unknown[]) => ServerResponse
  response.writeHead = (...words: readonly unknown[]) => {
    given = words.at(-1)
    return writeHead(...words)
  }
  return () => ({ ...response.getHeaders(), ...(typeof given === 'object' && given) })
}
