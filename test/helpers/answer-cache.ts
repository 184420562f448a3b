import type { Transport, TransportResponse } from '../../src/index.ts'

export interface AnswerCacheOptions {
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Whether it asks the service where a request says `no-cache`. */
  readonly obeys: boolean
  /** Whether it tells how old an answer is. Default: true. */
  readonly tellsAge?: boolean
  /** Default: for ever. */
  readonly lastsMs?: number
}

/** A cache before a service that keeps its answer to every GET, of any account, unless it is a failure or a refusal. */
export function answerCache(
  service: Transport,
  { now, obeys, tellsAge = true, lastsMs = Number.POSITIVE_INFINITY }: AnswerCacheOptions,
): Transport {
  const kept = new Map<
    string,
    { readonly at: number; readonly answer: Omit<TransportResponse, 'body'>; body: Buffer }
  >()
  return {
    async send(request) {
      if (request.method !== 'GET') return await service.send(request)
      const name = `${request.url} ${request.headers['range']}`
      const isAskedFresh = obeys && request.headers['cache-control'] === 'no-cache'
      const found = isAskedFresh ? undefined : kept.get(name)
      if (found !== undefined && now() - found.at < lastsMs) {
        const age = String(Math.floor((now() - found.at) / 1_000))
        const headers = { ...found.answer.headers, ...(tellsAge && { age }) }
        return { ...found.answer, headers, body: once(found.body) }
      }
      const at = now()
      const { body, ...answer } = await service.send(request)
      const chunks: Uint8Array[] = []
      for await (const chunk of body) chunks.push(chunk)
      const whole = Buffer.concat(chunks)
      if (answer.status < 300 || answer.status === 404) kept.set(name, { at, answer, body: whole })
      return { ...answer, body: once(whole) }
    },
  }
}

async function* once(bytes: Buffer) {
  yield bytes
}
