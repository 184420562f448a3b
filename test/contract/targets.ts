import { setupServer } from 'msw/node'
import { createEmulator, type Dialect, type Emulator } from '../../emulator/index.ts'
import { emulatorHandlers } from '../../emulator/testing/msw.ts'
import { type Clock, systemClock } from '../../src/clock.ts'
import { costOf, keyHeader } from '../../src/protocol/endpoints.ts'
import { rateHeaders } from '../../src/protocol/rate-limits.ts'
import type { Stats, Upload, UploadPage } from '../../src/protocol/resources.ts'
import { createDescription, type Description } from './described.ts'
import { dialects } from './dialects.ts'

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | ReadableStream<Uint8Array>
}

/** The bodies of errors (spec 7). */
interface FailureBody {
  readonly error: string
  readonly message: string
  readonly errors: Readonly<Record<string, readonly string[]>>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Every field an answer may have; a clause reads what it needs and fails if that is missing. */
  readonly json: UploadPage & Stats & FailureBody & { readonly upload: Upload }
}

/** A service under the contract tests. */
export interface ContractTarget {
  readonly name: string
  /** The expected dialect; `foreign` means the spec. */
  readonly dialect: Dialect
  readonly baseUrl: string
  readonly apiKey: string
  /**
   * Sends a request, asking for JSON by default; the caller adds the key.
   * @throws Error if the connection breaks or the answer does not match the OpenAPI document
   */
  send(method: string, path: string, options?: SendOptions): Promise<Answer>
  /** Present if the service is this emulator on a virtual clock, whose control API tests may use. */
  readonly emulator?: Emulator
  readonly description: Description
  close(): Promise<void>
}

export interface OwnTarget extends ContractTarget {
  readonly emulator: Emulator
}

/** The emulator in process. */
export async function inProcessTarget(dialect: Dialect): Promise<OwnTarget> {
  const emulator = await createEmulator({ clock: 'virtual', dialect })
  const at = { name: `in-process, ${dialect}`, dialect, baseUrl: 'https://files.test:8443' }
  return emulatorTarget(at, emulator, (request) => emulator.fetch(request))
}

/** The emulator on a socket. */
export async function socketTarget(dialect: Dialect): Promise<OwnTarget> {
  const emulator = await createEmulator({ clock: 'virtual', dialect })
  const { baseUrl } = await emulator.listen()
  return emulatorTarget({ name: `over a socket, ${dialect}`, dialect, baseUrl }, emulator, fetch)
}

/** One for all targets: several would handle a request in turn. */
const network = setupServer()
let interceptedTargets = 0

/** The emulator behind MSW; code that saved the global fetch before bypasses it. */
export async function interceptedTarget(dialect: Dialect): Promise<OwnTarget> {
  const emulator = await createEmulator({ clock: 'virtual', dialect })
  const baseUrl = `https://${dialect}.files.test`
  if (interceptedTargets === 0) network.listen({ onUnhandledFrame: 'bypass' })
  interceptedTargets += 1
  network.use(...emulatorHandlers(emulator, { baseUrl }))
  const at = { name: `through MSW, ${dialect}`, dialect, baseUrl }
  const target = emulatorTarget(at, emulator, fetch)
  return {
    ...target,
    async close() {
      interceptedTargets -= 1
      if (interceptedTargets === 0) network.close()
      await target.close()
    },
  }
}

/** Any service at a URL, called within its quota in real time. */
export function foreignTarget(baseUrl: string, apiKey: string): ContractTarget {
  const description = createDescription(dialects.foreign.amendments)
  return {
    name: `at ${baseUrl}`,
    dialect: 'spec',
    baseUrl,
    apiKey,
    description,
    send: paced(sendTo(baseUrl, fetch, description), systemClock),
    close: async () => {},
  }
}

export function isOwn(target: ContractTarget): target is OwnTarget {
  return target.emulator !== undefined
}

/** The header with the account's key. */
export function keyOf(target: ContractTarget): Record<string, string> {
  return { [keyHeader]: target.apiKey }
}

type Fetch = (request: Request) => Promise<Response>
type Send = ContractTarget['send']

type EmulatorAddress = Pick<OwnTarget, 'name' | 'dialect' | 'baseUrl'>

function emulatorTarget(at: EmulatorAddress, emulator: Emulator, fetch: Fetch): OwnTarget {
  const { apiKey } = emulator
  const description = createDescription(dialects[at.dialect].amendments)
  const send = sendTo(at.baseUrl, fetch, description)
  return { ...at, apiKey, emulator, description, send, close: () => emulator.close() }
}

function sendTo(baseUrl: string, fetch: Fetch, description: Description): Send {
  return async (method, path, { headers: given, body } = {}) => {
    const streaming = body instanceof ReadableStream ? { duplex: 'half' as const } : {}
    const length: Record<string, string> = body instanceof Uint8Array ? { 'Content-Length': String(body.length) } : {}
    const headers = { Accept: 'application/json', ...length, ...given }
    const sent = body === undefined ? {} : { body, ...streaming }
    const response = await fetch(new Request(`${baseUrl}${path}`, { method, headers, redirect: 'manual', ...sent }))
    const text = await response.text()
    const answer = { method, path, status: response.status, headers: response.headers, text }
    const problems = description.problemsOf(answer)
    if (problems.length > 0)
      throw new Error(`${method} ${path} ${answer.status} differs from the document: ${problems.join('; ')}`)
    const isJson = text !== '' && response.headers.get('Content-Type')?.startsWith('application/json') === true
    return { status: answer.status, headers: answer.headers, text, json: isJson ? JSON.parse(text) : {} }
  }
}

/** One unit a second stays within 20 in ten seconds; waits for a new minute if the current one is used up. */
function paced(send: Send, clock: Clock): Send {
  let notBefore = 0
  let remaining = Number.POSITIVE_INFINITY
  return async (method, path, options) => {
    const cost = costOf(method, path)
    if (remaining < cost) notBefore += 60_000
    for (;;) {
      await clock.sleep(Math.max(notBefore - clock.now(), 0))
      const answer = await send(method, path, options)
      remaining = Number(answer.headers.get(rateHeaders.remaining) ?? Number.POSITIVE_INFINITY)
      const pauseSeconds = answer.status === 429 ? Number(answer.headers.get(rateHeaders.retryAfter)) || 10 : cost
      notBefore = clock.now() + pauseSeconds * 1_000
      if (answer.status !== 429) return answer
    }
  }
}
