import { invalidValue } from '../../src/checks/coded-error.ts'
import { isObject } from '../../src/checks/json.ts'
import { type GivenOf, kindBy, someFields } from '../../src/checks/values.ts'
import { httpToken } from '../http.ts'
import { isSecretHeader } from '../service/exchanges.ts'
import { count, matching, nonEmptyText, pathPattern, text } from '../values/value-type.ts'

/** Each is looked for in each request of the log. */
const mostHeaders = 100

const headers = kindBy<Readonly<Record<string, string | null>>>(
  `an object of at most ${mostHeaders} header names and texts, with * for any text, and null for no such header`,
  (found) => isObject(found) && Object.keys(found).length <= mostHeaders && Object.entries(found).every(isHeader),
)

function isHeader([name, value]: readonly [string, unknown]): boolean {
  return httpToken.test(name) && (value === null || typeof value === 'string')
}

const fileFields = {
  /** As the client named it; `*` stands for any text. */
  name: text,
  /** In bytes. */
  size: count,
  /** In hexadecimal. */
  sha256: matching('a SHA-256 of 64 hexadecimal digits', /^[0-9a-f]{64}$/i),
}

export const expectedFields = {
  account_id: count,
  method: nonEmptyText,
  /** The path without its query; `*` stands for any text, slashes included. */
  path: pathPattern,
  status: count,
  /**
   * Request headers by name, in any case. In a value `*` stands for any text; null: there is no such header. Of
   * a header that carries a secret by its name, such as `X-Api-Key`, the log knows only whether it was sent: it takes `*`
   * and null.
   */
  headers,
  /** The file of an upload, as far as it arrived; an empty object stands for any file. */
  file: someFields(fileFields),
}

/** The fields of an expected request; a field that is absent matches any value. */
export interface ExpectedFields extends GivenOf<typeof expectedFields> {}
export interface ExpectedFile extends GivenOf<typeof fileFields> {}

/** @throws TypeError for the value of a header that the log does not keep */
export function refuseSecrets({ headers = {} }: ExpectedFields, place = ''): void {
  for (const [name, value] of Object.entries(headers)) {
    if (value === null || value === '*' || !isSecretHeader(name)) continue
    const instead = 'expect "*" if it was sent, null if not; account_id tells whose key it was'
    throw invalidValue(`${place}The log does not keep the value of ${name}: ${instead}`)
  }
}
