// @vitest-environment happy-dom
import { render } from 'lit-html'
import { expect, test, vi } from 'vitest'
import type { RequestDetail } from '../../../../../emulator/control/request-detail.ts'
import { requestAside } from '../../../../../emulator/dashboard/assets/detail.ts'
import { requestRow } from '../../../../../emulator/dashboard/assets/requests.ts'
import { timesIn } from '../../../../../emulator/dashboard/assets/shown.ts'
import { state } from '../../../../../emulator/dashboard/assets/store.ts'

// lit-html would say on the console that this is no build for users.
vi.hoisted(() => Object.assign(globalThis, { litIssuedWarnings: new Set(['dev-mode']) }))

/** A row of the list, and the request whole, as they are drawn. */
function drawn(detail: unknown): readonly [row: Element, whole: Element] {
  history.replaceState(null, '', '?request=1')
  const [row, whole] = [document.createElement('tbody'), document.createElement('main')]
  render(requestRow(detail as RequestDetail, timesIn('UTC', 0), true), row)
  render(requestAside({ ...state, detail: detail as RequestDetail }), whole)
  return [row, whole]
}

const fields = ['method', 'endpoint', 'status', 'at', 'cost', 'account_id', 'key_in', 'client_ip', 'file', 'refusal']
const bare = { number: 1, headers: {}, findings: [], exchange: null }

test.each([
  ['no field', {}],
  ['only null', Object.fromEntries(fields.map((name) => [name, null]))],
  ['markup for values', { method: '<b>', endpoint: '<i>'.repeat(3_000), status: '<u>', client_ip: { a: '<b>' } }],
  ['impossible times', { at: 9e15, status: 200, stored: true, file: { name: 5 }, breach: { kind: 'early' } }],
  ['an unknown refusal', { refusal: { kind: '<s>', window: 7 }, status: 429, fault: 3, fault_id: 'x', more: '<p>' }],
  ['an unknown exchange', { exchange: { query: 7, response: { headers: null, body: { size: 'x' } }, windows: 3 } }],
])('a record with %s is shown in the list and whole, beside the others', (_, odd) => {
  const [row, whole] = drawn({ ...bare, ...odd })
  expect(row.querySelector('a')?.dataset['number']).toBe('1')
  expect(row.querySelectorAll('td').length).toBeGreaterThan(1)
  expect(whole.querySelector('aside#request')?.textContent?.trim()).not.toBe('')
  expect([row, whole].flatMap((each) => [...each.querySelectorAll('b,i,u,s')])).toEqual([])
})
