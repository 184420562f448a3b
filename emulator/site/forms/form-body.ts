import { receiveWhole } from '../../http/request/request-body.ts'
import { type HttpRequest, headerOf } from '../../http-types.ts'

export type FormFields = Pick<URLSearchParams, 'get' | 'getAll' | 'has'>

/** Larger than any form of the site without a file. */
const mostBytes = 262_144

/**
 * Reads a form without files, sent as browsers send it.
 * @returns undefined if it is of another kind or larger than any of the site's
 */
export async function readForm(request: HttpRequest): Promise<FormFields | undefined> {
  const type = headerOf(request, 'content-type') ?? ''
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return undefined
  const body = await receiveWhole(request, mostBytes)
  return body && new URLSearchParams(body.toString())
}
