import { quoted } from '../../src/checks/coded-error.ts'
import type { RequestInfo } from '../storage/record-types.ts'
import type { Condition, ShownValue } from './conditions.ts'
import type { NearMiss } from './near-misses.ts'
import type { ExpectedRange } from './verification-error.ts'

export function rangeInWords({ min, max }: ExpectedRange): string {
  if (max === min) return `exactly ${min}`
  return max === null ? `at least ${min}` : `from ${min} to ${max}`
}

/** `POST /api/upload answered 201 of account 2, with file.size 10`. */
export function expectedInWords(conditions: readonly Condition[]): string {
  const { method, path, status, account_id, ...others } = Object.fromEntries(
    conditions.map(({ name, expected }) => [name, expected]),
  )
  const parts = [
    requestLine(method, path),
    ...(status === undefined ? [] : [`answered ${status}`]),
    ...(account_id === undefined ? [] : [`of account ${account_id}`]),
  ]
  const fields = Object.entries(others).map(([name, expected]) => withField(name, expected))
  return [parts.join(' '), ...fields].join(', ')
}

function requestLine(method: ShownValue | undefined, path: ShownValue | undefined): string {
  if (method === undefined) return path === undefined ? 'request' : `request to ${path}`
  return `${String(method).toUpperCase()} ${path ?? 'request'}`
}

function withField(name: string, expected: ShownValue): string {
  if (name === 'file') return 'with a file'
  return expected === null ? `without ${name}` : `with ${name} ${quoted(expected)}`
}

/** `POST /api/upload answered 429 at 2026-01-15T12:00:00.000Z`. */
export function requestInWords({ method, endpoint, status, at }: RequestInfo): string {
  return `${method} ${endpoint} answered ${status} at ${at}`
}

export function closestInWords([closest]: readonly NearMiss[], accountId: number | undefined): string {
  if (closest === undefined) {
    return accountId === undefined ? 'There are no other requests' : `Account ${accountId} has no other requests`
  }
  const differences = Object.entries(closest.differs).map(([name, { expected, found }]) => {
    if (name === 'in_order') return `came ${found}`
    if (name === 'file') return 'has no file'
    return `has ${name} ${value(found)} instead of ${value(expected)}`
  })
  return `The closest, ${requestInWords(closest.request)}, ${differences.join(' and ')}`
}

function value(shown: ShownValue): string {
  return shown === null ? 'absent' : quoted(shown)
}
