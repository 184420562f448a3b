import { isOfKind } from '../../../src/checks/values.ts'
import { requestFilter } from '../../service/request-filter.ts'
import type { RequestRecord } from '../../storage/records.ts'
import { pathPattern } from '../../values/value-type.ts'

/** The names in the page's address; the first four as in the control API. */
export const filterNames = ['method', 'status', 'path', 'account_id', 'refused', 'fault'] as const
export type FilterName = (typeof filterNames)[number]

/** Which requests the page lists. */
export interface ListFilter {
  /** What was given, whether it can be used or not. */
  readonly given: Readonly<Record<FilterName, string>>
  /** What is wrong with it, by name; a part that is wrong excludes nothing. */
  readonly problems: ReadonlyMap<FilterName, string>
  /** Whether any part excludes something. */
  readonly isSet: boolean
  matches(request: RequestRecord): boolean
}

type Test = (request: RequestRecord) => boolean

export function readListFilter(query: Pick<URLSearchParams, 'get'>): ListFilter {
  const problems = new Map<FilterName, string>()
  const tests: Test[] = []
  const given = Object.fromEntries(
    filterNames.map((name) => [name, (query.get(name) ?? '').trim()]),
  ) as ListFilter['given']
  for (const name of filterNames) {
    if (given[name] === '') continue
    const test = parts[name](given[name])
    if (typeof test === 'string') problems.set(name, test)
    else tests.push(test)
  }
  return { given, problems, isSet: tests.length > 0, matches: (request) => tests.every((test) => test(request)) }
}

/** A test for what was given, or what is wrong with it. */
const parts: Readonly<Record<FilterName, (given: string) => Test | string>> = {
  method: (method) => requestFilter({ method }),
  status(status) {
    if (/^[1-9]\d\d$/.test(status)) return requestFilter({ status: Number(status) })
    const [, hundreds] = /^([1-9])xx$/i.exec(status) ?? []
    if (hundreds === undefined) return 'A status such as 404, or a class such as 4xx'
    return (request) => Math.floor(request.status / 100) === Number(hundreds)
  },
  path: (path) => (isOfKind(pathPattern, path) ? requestFilter({ path }) : `Takes ${pathPattern.accepts}`),
  account_id(account) {
    if (account === 'none') return ({ accountId }) => accountId === null
    return /^\d{1,15}$/.test(account)
      ? requestFilter({ account_id: Number(account) })
      : 'The number of an account, or none'
  },
  refused: () => isRefused,
  fault(fault) {
    if (/^\d{1,15}$/.test(fault)) return ({ faultId }) => faultId === Number(fault)
    return (request) => request.fault !== undefined
  },
}

/** Whether the service refused a request, rather than a fault. */
export function isRefused({ status, fault }: RequestRecord): boolean {
  return status >= 400 && fault === undefined
}
