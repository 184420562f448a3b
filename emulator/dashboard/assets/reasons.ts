import type { LoggedRequest } from '../../storage/records.ts'
import { shown } from './shown.ts'
import { clientLeft } from './why.ts'

/** Why a request had the answer it had, in two or three words; nothing if all went well. */
export function briefReason(request: LoggedRequest): string {
  const { fault, refusal, breach, key_in: keyIn, status } = request
  if (fault !== undefined) return `fault ${shown(fault, 40)}`
  const early = breach === undefined ? '' : ', too early'
  if (refusal !== undefined) return `${briefRefusal(refusal)}${early}`
  if (status === clientLeft) return 'client left'
  if (breach !== undefined) return 'too early'
  return keyIn === 'query' ? 'key in query' : ''
}

function briefRefusal({ kind, window }: NonNullable<LoggedRequest['refusal']>): string {
  if (kind === 'quota-exceeded') return window === undefined ? 'quota full' : `${window} full`
  return brief[kind] ?? shown(kind, 40)
}

const brief: Readonly<Record<string, string>> = {
  'api-disabled': 'API disabled',
  'invalid-key': 'key unknown',
  suspended: 'suspended',
  'address-not-allowed': 'address not allowed',
  'upload-not-found': 'no such upload',
  'invalid-file': 'file refused',
  'invalid-page': 'page invalid',
  'page-not-found': 'no such page',
  'body-too-large': 'body too large',
  'route-not-found': 'no such route',
  'method-not-allowed': 'wrong method',
  'malformed-path': 'path malformed',
  'bad-host': 'host malformed',
  'bad-method': 'method malformed',
  'server-error': 'server error',
}
