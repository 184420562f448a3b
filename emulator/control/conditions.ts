import { readLoggedHeaders } from '../service/logged-headers.ts'
import { wildcardTest } from '../service/request-filter.ts'
import type { RequestFile, RequestRecord } from '../storage/record-types.ts'
import type { ExpectedFields, ExpectedFile } from './expectation.ts'

/** One thing that an expectation asks of a request. */
export interface Condition {
  /** `status`, `headers.user-agent`, `file.size` and so on. */
  readonly name: string
  /** Null: there has to be none. */
  readonly expected: ShownValue
  /** What the request has instead; null: nothing. */
  found(request: RequestRecord): ShownValue
  isMet(request: RequestRecord): boolean
}

export type ShownValue = string | number | null

export function conditionsOf({ headers = {}, file, ...filter }: ExpectedFields): readonly Condition[] {
  const headersOf = lastRead()
  return [
    ...filterConditions(filter),
    ...Object.entries(headers).map(([name, value]) => headerCondition(name.toLowerCase(), value, headersOf)),
    ...(file === undefined ? [] : fileConditions(file)),
  ]
}

export function isExpected(conditions: readonly Condition[], request: RequestRecord): boolean {
  for (const condition of conditions) if (!condition.isMet(request)) return false
  return true
}

function filterConditions({ account_id, method, path, status }: ExpectedFields): readonly Condition[] {
  const isPath = wildcardTest(path ?? '*')
  return [
    ...fieldCondition('account_id', account_id, ({ accountId }) => accountId),
    ...fieldCondition(
      'method',
      method,
      (request) => request.method,
      (found) => found === method?.toUpperCase(),
    ),
    ...fieldCondition(
      'path',
      path,
      ({ endpoint }) => endpoint,
      (found) => isPath(String(found)),
    ),
    ...fieldCondition('status', status, (request) => request.status),
  ]
}

function fieldCondition(
  name: string,
  expected: ShownValue | undefined,
  found: (request: RequestRecord) => ShownValue,
  isRight = (value: ShownValue) => value === expected,
): readonly Condition[] {
  return expected === undefined ? [] : [{ name, expected, found, isMet: (request) => isRight(found(request)) }]
}

type HeadersOf = (request: RequestRecord) => ReadonlyMap<string, string>

function headerCondition(name: string, expected: string | null, headersOf: HeadersOf): Condition {
  const matches = expected === null ? undefined : wildcardTest(expected)
  const found = (request: RequestRecord) => headersOf(request).get(name) ?? null
  return {
    name: `headers.${name}`,
    expected,
    found,
    isMet(request) {
      const value = found(request)
      return matches === undefined ? value === null : value !== null && matches(value)
    },
  }
}

/** Requests in a row often have equal headers, which are read once. */
function lastRead(): HeadersOf {
  let last = { text: '', headers: readLoggedHeaders('') }
  return ({ headers: text }) => {
    if (text !== last.text) last = { text, headers: readLoggedHeaders(text) }
    return last.headers
  }
}

function fileConditions({ name, size, sha256 }: ExpectedFile): readonly Condition[] {
  const condition = (
    field: keyof RequestFile,
    expected: string | number | undefined,
    isMet: (file: RequestFile) => boolean,
  ): readonly Condition[] =>
    expected === undefined
      ? []
      : [
          {
            name: `file.${field}`,
            expected,
            found: ({ file }) => file?.[field] ?? null,
            isMet: ({ file }) => file !== undefined && isMet(file),
          },
        ]
  const digest = sha256?.toLowerCase()
  const hasName = wildcardTest(name ?? '')
  const conditions = [
    ...condition('name', name, (file) => hasName(file.name)),
    ...condition('size', size, (file) => file.size === size),
    ...condition('sha256', digest, (file) => file.sha256 === digest),
  ]
  if (conditions.length > 0) return conditions
  return [{ name: 'file', expected: '*', found: () => null, isMet: ({ file }) => file !== undefined }]
}
