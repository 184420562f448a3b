import type { Emulator, EmulatorOptions, SettingChanges } from '../../../../emulator/index.ts'
import { json, send } from '../emulated.ts'

/** The effect of one value of one setting on the wire. */
export interface WireRow {
  readonly setting: keyof SettingChanges
  readonly value: unknown
  readonly expected: unknown
  readonly options: EmulatorOptions
  observe(emulator: Emulator): Promise<unknown>
}

interface Observation {
  /** Each value with its effect. */
  readonly sees: readonly (readonly [value: unknown, expected: unknown])[]
  readonly options?: EmulatorOptions
  observe(emulator: Emulator): Promise<unknown>
}

export function rows(setting: keyof SettingChanges, { sees, options = {}, observe }: Observation): readonly WireRow[] {
  return sees.map(([value, expected]) => ({ setting, value, expected, options, observe }))
}

/** Status and body, parsed if it is JSON. */
export async function seen(answer: Promise<Response>): Promise<readonly [number, unknown]> {
  const response = await answer
  const isJson = response.headers.get('Content-Type') === 'application/json'
  return [response.status, await (isJson ? response.json() : response.text())]
}

export async function statuses(...answers: readonly (() => Promise<Response>)[]): Promise<readonly number[]> {
  const found: number[] = []
  for (const answer of answers) found.push((await answer()).status)
  return found
}

export const stats = (emulator: Emulator) => () => send(emulator, 'GET', '/api/stats')
export const missing = (emulator: Emulator) => () => send(emulator, 'GET', '/api/uploads/none')
export const emptyUpload = (emulator: Emulator) => () => send(emulator, 'POST', '/api/upload')
export const list = (emulator: Emulator, query = '') => json(send(emulator, 'GET', `/api/uploads${query}`))
