import { invalidValue } from '../../src/checks/coded-error.ts'
import { isObject } from '../../src/checks/json.ts'
import { type KindsOf, kindBy, someFields } from '../../src/checks/values.ts'
import { httpToken } from '../http-types.ts'
import { isSecretHeader } from '../service/logged-headers.ts'
import { count, matching, nonEmptyText, pathPattern, text } from '../values/value-type.ts'

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

const headers = kindBy<Readonly<Record<string, string | null>>>(
  `an object of at most ${mostHeaders} header names and texts, with * for any text, and null for no such header`,
  (found) => isObject(found) && Object.keys(found).length <= mostHeaders && Object.entries(found).every(isHeader),
)

function isHeader([name, value]: readonly [string, unknown]): boolean {
  return httpToken.test(name) && (value === null || typeof value === 'string')
}

export const expectedFields = {
  account_id: count,
  method: nonEmptyText,
  path: pathPattern,
  status: count,
  headers,
  file: someFields({
    name: text,
    size: count,
    sha256: matching('a SHA-256 of 64 hexadecimal digits', /^[0-9a-f]{64}$/i),
  } satisfies KindsOf<ExpectedFile>),
} satisfies KindsOf<ExpectedFields>

/** @throws TypeError for the value of a header that the log does not keep */
export function refuseSecrets({ headers = {} }: ExpectedFields, place = ''): void {
  for (const [name, value] of Object.entries(headers)) {
    if (value === null || value === '*' || !isSecretHeader(name)) continue
    const instead = 'expect "*" if it was sent, null if not; account_id tells whose key it was'
    throw invalidValue(`${place}The log does not keep the value of ${name}: ${instead}`)
  }
}
