import type { SQLInputValue } from 'node:sqlite'
import type { RequestFile } from '../storage/record-types.ts'
import type { ExpectedFields, ExpectedFile } from './expectation.ts'

/** One thing that an expectation asks of a request. */
export interface Condition {
  /** `status`, `headers.user-agent`, `file.size` and so on. */
  readonly name: string
  /** Null: there has to be none. */
  readonly expected: ShownValue
  /** SQL over the columns of the log: what the request has instead; null: nothing. */
  readonly found: string
  /** SQL: whether the request meets it; null: it does not. With a `?` for each of the values. */
  readonly isMet: string
  readonly values: readonly SQLInputValue[]
}

export type ShownValue = string | number | null

export function conditionsOf({ account_id, method, path, status, headers = {}, file }: ExpectedFields) {
  return [
    ...condition('account_id', account_id, 'accountId', 'accountId = ?'),
    ...condition('method', method, 'method', 'method = upper(?)'),
    ...condition('path', path, 'endpoint', pathTerm(path)),
    ...condition('status', status, 'status', 'status = ?'),
    ...Object.entries(headers).map(([name, value]) => headerCondition(name.toLowerCase(), value)),
    ...(file === undefined ? [] : fileConditions(file)),
  ]
}

/** A condition that takes the pattern as its value. */
export function pathTerm(pattern = ''): string {
  return pattern.includes('*') ? 'matches(endpoint, ?)' : 'endpoint = ?'
}

/** @param isMet takes the expected value */
function condition(name: string, expected: ShownValue | undefined, found: string, isMet: string): Condition[] {
  return expected === undefined ? [] : [{ name, expected, found, isMet, values: [expected] }]
}

/** A header's name is a token: it needs no escape. */
function headerCondition(name: string, expected: string | null): Condition {
  const found = `header(headers, '${name.replaceAll("'", "''")}')`
  const isMet = expected === null ? `${found} IS NULL` : `matches(${found}, ?)`
  return { name: `headers.${name}`, expected, found, isMet, values: expected === null ? [] : [expected] }
}

function fileConditions({ name, size, sha256 }: ExpectedFile): readonly Condition[] {
  const field = (of: keyof RequestFile) => `rest ->> '$.file.${of}'`
  const conditions = [
    ...condition('file.name', name, field('name'), `matches(${field('name')}, ?)`),
    ...condition('file.size', size, field('size'), `${field('size')} = ?`),
    ...condition('file.sha256', sha256?.toLowerCase(), field('sha256'), `${field('sha256')} = ?`),
  ]
  const anyFile = { name: 'file', expected: '*', found: 'NULL', isMet: `rest ->> '$.file' IS NOT NULL`, values: [] }
  return conditions.length > 0 ? conditions : [anyFile]
}
