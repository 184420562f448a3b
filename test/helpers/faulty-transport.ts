import { type Transport, TransportError, type TransportRequest, type TransportResponse } from '../../src/index.ts'

/** What happens to one exchange in place of the service's answer. */
export type ExchangeFault = (request: TransportRequest, service: Transport) => Promise<TransportResponse>

/**
 * A transport with faults, listed by method: the first request of a method meets the first fault, and so on. An
 * undefined fault, and every request after the last one, reaches the service.
 */
export function faultyTransport(
  service: Transport,
  faults: Readonly<Record<string, readonly (ExchangeFault | undefined)[]>>,
) {
  const counts: Record<string, number> = {}
  const transport: Transport = {
    send(request) {
      // Files of the site cost no units.
      const kind = new URL(request.url).pathname.startsWith('/api/') ? request.method : 'site'
      const count = counts[kind] ?? 0
      counts[kind] = count + 1
      const fault = faults[kind]?.[count]
      return fault === undefined ? service.send(request) : fault(request, service)
    },
  }
  return { transport, counts }
}

export const cut = new TransportError('interrupted', 'the connection was cut')
const silence = new TransportError('timeout', 'no answer came in time')

async function readToEnd(chunks: AsyncIterable<Uint8Array> | undefined): Promise<void> {
  for await (const _ of chunks ?? []);
}

/** The service does what it was asked, but something else comes back than its answer. */
export function committed(answer: () => TransportResponse): ExchangeFault {
  return async (request, service) => {
    const { body } = await service.send(request)
    await readToEnd(body)
    return answer()
  }
}

/** The whole request arrives, but the service never sees it. */
export function lost(answer: () => TransportResponse): ExchangeFault {
  return async ({ body }) => {
    await readToEnd(body?.chunks())
    return answer()
  }
}

export function fail(error: Error): () => never {
  return () => {
    throw error
  }
}

export function respond(status: number, text: string, type = 'text/html'): () => TransportResponse {
  return () => ({
    status,
    headers: { 'content-type': type },
    body: (async function* () {
      yield Buffer.from(text)
    })(),
  })
}

/** Faults that store nothing, as the client can tell at once. */
export const harmless: Readonly<Record<string, ExchangeFault>> = {
  'a cut before the first byte': async () => fail(cut)(),
  'a cut in the middle of the body': async ({ body }) => {
    for await (const _ of body?.chunks() ?? []) return fail(cut)()
    return fail(cut)()
  },
}

/** Ways in which the answer to a complete request is lost. */
const missingAnswers: Readonly<Record<string, () => TransportResponse>> = {
  'a cut after the whole body': fail(cut),
  'no answer in time': fail(silence),
  'a 500': respond(500, '{"message":"Server Error"}', 'application/json'),
  'a 502 page': respond(502, '<html>Bad gateway</html>'),
  'a 503 page': respond(503, '<html>Unavailable</html>'),
  'a 504 page': respond(504, '<html>Timeout</html>'),
  'a 201 cut short': respond(201, '{"upload":{"slug":"a', 'application/json'),
}

/** The service stored the upload, and its answer is lost. */
export const unheard = mapped(committed, {
  ...missingAnswers,
  'a 201 without a body': respond(201, ''),
  'a 200 without a body': respond(200, '', 'application/json'),
})

/** The service stored nothing, and no answer says so. */
export const unheeded = mapped(lost, missingAnswers)

function mapped(
  to: (answer: () => TransportResponse) => ExchangeFault,
  answers: Readonly<Record<string, () => TransportResponse>>,
): Readonly<Record<string, ExchangeFault>> {
  return Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, to(answer)]))
}
