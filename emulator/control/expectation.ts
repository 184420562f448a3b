import { invalidValue } from '../../src/checks/coded-error.ts'
import { isObject } from '../../src/checks/json.ts'
import type { KindsOf } from '../../src/checks/values.ts'
import { httpToken } from '../http-types.ts'
import { isSecretHeader } from '../service/logged-headers.ts'
import { readFields } from '../values/reading.ts'
import { count, matching, nonEmptyText, pathPattern, text, valueType } from '../values/value-type.ts'

/** The fields of an expected request; a field that is absent matches any value. */
export interface ExpectedFields {
  readonly account_id?: number | undefined
  readonly method?: string | undefined
  /** The path without its query; `*` stands for any text, slashes included. */
  readonly path?: string | undefined
  readonly status?: number | undefined
  /**
   * Request headers by name, in any case. In a value `*` stands for any text; null: there is no such header. Of
   * a header that carries a secret by its name, such as `X-Api-Key`, the log knows only whether it was sent: it takes `*`
   * and null.
   */
  readonly headers?: Readonly<Record<string, string | null>> | undefined
  /** The file of an upload, as far as it arrived; an empty object stands for any file. */
  readonly file?: ExpectedFile | undefined
}

export interface ExpectedFile {
  /** As the client named it; `*` stands for any text. */
  readonly name?: string | undefined
  /** In bytes. */
  readonly size?: number | undefined
  /** In hexadecimal. */
  readonly sha256?: string | undefined
}

/** Each is looked for in each request of the log. */
const mostHeaders = 100

const headers = valueType<Readonly<Record<string, string | null>>>(
  `an object of at most ${mostHeaders} header names and texts, with * for any text, and null for no such header`,
  {},
  (found) => {
    if (!isObject(found)) return undefined
    const entries = Object.entries(found)
    return entries.length <= mostHeaders && entries.every(isHeader) ? (found as Record<string, string>) : undefined
  },
)

function isHeader([name, value]: readonly [string, unknown]): boolean {
  return httpToken.test(name) && (value === null || typeof value === 'string')
}

const file = valueType<ExpectedFile>('an object with any of name, size, sha256', {}, (found) =>
  isObject(found) ? found : undefined,
)

const fileFields = {
  name: text,
  size: count,
  sha256: matching('a SHA-256 of 64 hexadecimal digits', /^[0-9a-f]{64}$/i),
} satisfies KindsOf<ExpectedFile>

export const expectedFields = {
  account_id: count,
  method: nonEmptyText,
  path: pathPattern,
  status: count,
  headers,
  file,
} satisfies KindsOf<ExpectedFields>

/** @throws TypeError saying what a field takes */
export function checkExpected<Fields extends ExpectedFields>(expected: Fields): Fields {
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    if (value === null || value === '*' || !isSecretHeader(name)) continue
    const instead = 'expect "*" if it was sent, null if not; account_id tells whose key it was'
    throw invalidValue(`The log does not keep the value of ${name}: ${instead}`)
  }
  return expected.file === undefined ? expected : { ...expected, file: readFields(expected.file, fileFields) }
}
