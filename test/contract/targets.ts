import { createEmulator, type Emulator } from '../../emulator/index.ts'
import { type Clock, systemClock } from '../../src/clock.ts'
import { costOf, keyHeader } from '../../src/protocol/endpoints.ts'
import { rateHeaders } from '../../src/protocol/rate-limits.ts'
import type { Stats, Upload, UploadPage } from '../../src/protocol/resources.ts'

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | ReadableStream<Uint8Array>
}

/** The bodies of failures (spec 7). */
interface FailureBody {
  readonly error: string
  readonly message: string
  readonly errors: Readonly<Record<string, readonly string[]>>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Everything an answer may have in it; a clause reads what it promises, and fails where that is not there. */
  readonly json: UploadPage & Stats & FailureBody & { readonly upload: Upload }
}

/** A service that is held to the contract. */
export interface ContractTarget {
  readonly name: string
  readonly baseUrl: string
  readonly apiKey: string
  /** Sends exactly what it is given; the key is the caller's to add. */
  send(method: string, path: string, options?: SendOptions): Promise<Answer>
  /** Present where the service is this project's own, on a virtual clock, so that its control API may be used. */
  readonly emulator?: Emulator
  close(): Promise<void>
}

/** The emulator without a socket. */
export async function inProcessTarget(): Promise<ContractTarget> {
  const emulator = await createEmulator({ clock: 'virtual' })
  const baseUrl = 'http://files.test'
  return emulatorTarget('in-process', baseUrl, emulator, (request) => emulator.fetch(request))
}

/** The emulator on a socket. */
export async function socketTarget(): Promise<ContractTarget> {
  const emulator = await createEmulator({ clock: 'virtual' })
  const { baseUrl } = await emulator.listen()
  return emulatorTarget('over a socket', baseUrl, emulator, fetch)
}

/** Any service at an address; it is called no faster than its quota allows, in real time. */
export function foreignTarget(baseUrl: string, apiKey: string): ContractTarget {
  return {
    name: `at ${baseUrl}`,
    baseUrl,
    apiKey,
    send: paced(sendTo(baseUrl, fetch), systemClock),
    close: async () => {},
  }
}

/** The header that makes a call the account's own. */
export function keyOf(target: ContractTarget): Record<string, string> {
  return { [keyHeader]: target.apiKey }
}

type Fetch = (request: Request) => Promise<Response>
type Send = ContractTarget['send']

function emulatorTarget(name: string, baseUrl: string, emulator: Emulator, fetch: Fetch): ContractTarget {
  const { apiKey } = emulator
  return { name, baseUrl, apiKey, emulator, send: sendTo(baseUrl, fetch), close: () => emulator.close() }
}

function sendTo(baseUrl: string, fetch: Fetch): Send {
  return async (method, path, options = {}) => {
    const streaming = options.body instanceof ReadableStream ? { duplex: 'half' as const } : {}
    const response = await fetch(new Request(`${baseUrl}${path}`, { method, ...options, ...streaming }))
    const text = await response.text()
    const isJson = response.headers.get('Content-Type')?.startsWith('application/json') === true
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} }
  }
}

/** A unit a second keeps within 20 in ten seconds; a minute without room for a call is waited for. */
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
