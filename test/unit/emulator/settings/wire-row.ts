import type { Emulator, EmulatorOptions, SettingChanges } from '../../../../emulator/index.ts'
import { json, send } from '../emulated.ts'

type Observe = (emulator: Emulator) => Promise<unknown>

/** The effect of one value of one setting on the wire. */
export interface WireRow {
  readonly setting: keyof SettingChanges
  readonly value: unknown
  readonly expected: unknown
  readonly options: EmulatorOptions
  readonly observe: Observe
}

export function row(
  setting: keyof SettingChanges,
  value: unknown,
  expected: unknown,
  observe: Observe,
  options: EmulatorOptions = {},
): WireRow {
  return { setting, value, expected, observe, options }
}

/** Status and body, parsed if it is JSON. */
export async function seen(answer: Promise<Response>): Promise<readonly [number, unknown]> {
  const response = await answer
  const isJson = response.headers.get('Content-Type') === 'application/json'
  return [response.status, await (isJson ? response.json() : response.text())]
}

/** The statuses of calls one after the other. */
export async function statuses(...calls: readonly (() => Promise<Response>)[]): Promise<readonly number[]> {
  const found: number[] = []
  for (const call of calls) found.push((await call()).status)
  return found
}

/** The header of an answer to a call for statistics. */
export const header = (name: string) => async (emulator: Emulator) => (await stats(emulator)()).headers.get(name)

export const stats = (emulator: Emulator) => () => send(emulator, 'GET', '/api/stats')
export const missing = (emulator: Emulator) => () => send(emulator, 'GET', '/api/uploads/none')
export const emptyUpload = (emulator: Emulator) => () => send(emulator, 'POST', '/api/upload')
export const list = (emulator: Emulator) => json(send(emulator, 'GET', '/api/uploads'))
