import { parseJson } from '../../../src/checks/json.ts'
import type { EtiquetteReport } from '../../control/etiquette-report.ts'
import type { RequestDetail } from '../../control/request-detail.ts'
import { addressed } from './address.ts'
import { CallRefusal } from './input.ts'
import { later } from './page-clock.ts'
import { change } from './store.ts'

export const controlPath = '/_emulator'

const silence = 'The emulator does not answer. It may have ended.'

let afterChange = () => {}

/** @param then called after each call that may have changed something */
export function onCalled(then: () => void): void {
  afterChange = then
}

let token: string | undefined

/** Sends the control token with each call from now on; only the page has it. */
export function useToken(given: string): void {
  token = given
}

/**
 * What the control API answers to one call.
 * @param body an object, or JSON as text
 * @throws CallRefusal
 */
export async function ask(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const headers = {
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  }
  const sent = typeof body === 'string' ? body : body === undefined ? null : JSON.stringify(body)
  const asked = { method, headers, body: sent, ...(signal && { signal }) }
  const answer = await fetch(controlPath + path, asked).catch(() => {
    throw new CallRefusal(`${silence} What was typed stays here: start it again, then press again.`, 0)
  })
  if (answer.ok) return answer
  const { error } = (parseJson(await answer.text()) ?? {}) as { error?: { message?: string } }
  throw new CallRefusal(error?.message ?? `The emulator answered ${answer.status}.`, answer.status)
}

/** The same, of an answer in JSON. */
export async function call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  try {
    return parseJson(await (await ask(method, path, body)).text()) as Answer
  } finally {
    if (method !== 'GET') afterChange()
  }
}

/** Asks for the request that the page's address names. */
export async function askDetail(): Promise<void> {
  const number = addressed('request')
  if (number === undefined) return change({ detail: undefined })
  const detail = await call<RequestDetail>('GET', `/requests/${encodeURIComponent(number)}`).catch(
    ({ status }: CallRefusal) =>
      status === 0 ? silence : 'The log does not have it any longer: it was cleared or dropped.',
  )
  if (addressed('request') === number) change({ detail })
}

let isAsked = false

/** The sums of the etiquette report, every two seconds at most. */
export function askFindings(): void {
  if (isAsked) return
  isAsked = true
  later(300, async () => {
    const report = await call<EtiquetteReport>('GET', '/report?limit=0').catch(() => undefined)
    if (report !== undefined) change({ findings: report.findings })
    later(2_000, () => {
      isAsked = false
    })
  })
}

/** The tables of settings and faults never change while the emulator runs. */
export async function askTypes(): Promise<void> {
  const ask = (path: string) => call('GET', path).catch(() => undefined)
  change({ settingTypes: await ask('/settings/types'), faultTypes: await ask('/faults/types') } as object)
}
