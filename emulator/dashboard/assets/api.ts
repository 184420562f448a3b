import { parseJson } from '../../../src/checks/json.ts'
import { CallRefusal } from './input.ts'

export const silence = 'The emulator does not answer. It may have ended.'

export const controlPath = '/_emulator'

/**
 * One call of the control API.
 * @param body an object, or JSON as text
 * @throws CallRefusal
 */
export async function call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const proof = document.querySelector('main')?.dataset['proof'] ?? ''
  const headers = { 'X-Emulator-Page': proof, ...(body !== undefined && { 'Content-Type': 'application/json' }) }
  const sent = typeof body === 'string' ? body : body === undefined ? null : JSON.stringify(body)
  const answer = await fetch(controlPath + path, { method, headers, body: sent }).catch(() => {
    throw new CallRefusal(`${silence} What was typed stays here: start it again, then press again.`, 0)
  })
  const json = parseJson(await answer.text())
  if (answer.ok) return json as Answer
  const { error } = (json ?? {}) as { error?: { message?: string } }
  throw new CallRefusal(error?.message ?? `The emulator answered ${answer.status}.`, answer.status)
}
