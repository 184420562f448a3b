import { abortable, orAborted } from '../../system/abortable.ts'
import type { Transport, TransportRequest, TransportResponse } from './transport.ts'

/** Sends a request. An abort ends it, and the reading of its answer, at once, even if the transport does not react. */
export async function sendAbortably(transport: Transport, request: TransportRequest): Promise<TransportResponse> {
  const { signal } = request
  if (signal === undefined) return await transport.send(request)
  signal.throwIfAborted()
  const response = await orAborted(transport.send(request), signal)
  return { ...response, body: abortable(response.body, signal) }
}
