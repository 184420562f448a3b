import { keyHeader, keyQueryParameter } from '../../../src/protocol/endpoints.ts'
import { type HttpRequest, headerOf } from '../../http-types.ts'
import type { Settings } from '../../settings/settings.ts'
import { queryValue, type RequestTarget } from './request-target.ts'

/** A key as a request brought it. */
export interface PresentedKey {
  /** Undefined where there is none that could be a key. */
  readonly key: string | undefined
  readonly keyIn: 'header' | 'query' | 'none'
}

const headerName = keyHeader.toLowerCase()

/**
 * The header comes first; unless the settings say otherwise, even an empty one keeps the query from being looked at
 * (spec 5.2, 5.3).
 */
export function presentedKey(request: HttpRequest, target: RequestTarget, settings: Settings): PresentedKey {
  const header = headerOf(request, headerName)
  const isAbsent = header === undefined || (header === '' && settings.empty_header_key === 'falls_back')
  if (!isAbsent) return { key: header, keyIn: 'header' }
  const parameter = queryValue(target.query, keyQueryParameter)
  return parameter === undefined ? { key: undefined, keyIn: 'none' } : { key: parameter ?? undefined, keyIn: 'query' }
}
