import type { LoggedRequest } from '../../storage/records.ts'
import { shown, type Times } from './shown.ts'

/** The status in the log if the client disconnected before the answer. */
const clientLeft = 499

type RefusalInfo = NonNullable<LoggedRequest['refusal']>

/** Kinds of refusals: in two or three words, and in a sentence unless that has more of the request in it. */
const reasons: Readonly<Record<string, { readonly brief: string; readonly sentence?: string }>> = {
  'api-disabled': { brief: 'API disabled', sentence: 'the API is disabled for everyone (setting api_enabled)' },
  'invalid-key': { brief: 'key unknown' },
  suspended: { brief: 'suspended' },
  'address-not-allowed': { brief: 'address not allowed' },
  'upload-not-found': { brief: 'no such upload', sentence: 'the account has no such upload' },
  'invalid-file': { brief: 'file refused' },
  'invalid-page': { brief: 'page invalid' },
  'page-not-found': { brief: 'no such page', sentence: 'the list has no such page' },
  'body-too-large': { brief: 'body too large', sentence: 'the body is larger than any upload may be' },
  'route-not-found': { brief: 'no such route', sentence: 'the service has no such path' },
  'method-not-allowed': { brief: 'wrong method', sentence: 'the path does not take this method' },
  'malformed-path': { brief: 'path malformed', sentence: 'the path is not valid UTF-8' },
  'bad-host': { brief: 'host malformed', sentence: 'the Host header is neither a name nor an address' },
  'bad-method': { brief: 'method malformed', sentence: 'the method override is no method' },
  'server-error': { brief: 'server error', sentence: 'the service failed; its output has the error' },
}

/** Why a request had the answer it had, in a sentence. */
export function whyText(request: LoggedRequest, times: Times): string {
  const { status, fault, fault_id: faultId, refusal, stored } = request
  const begin = `${Number(status)}: `
  if (fault !== undefined) {
    const number = faultId === undefined ? '' : ` ${faultId}`
    return `${begin}fault${number} struck (${shown(fault, 40)})${stored === true ? '; the file was stored' : ''}`
  }
  if (status === clientLeft) {
    return `${begin}the client left before its answer${stored === true ? '; the file was stored' : ''}`
  }
  if (refusal !== undefined) return begin + refusalText(refusal, request, times)
  if (status >= 400) return `${begin}refused; the log does not say why`
  return stored === true ? `${begin}answered, and the file was stored` : `${begin}answered`
}

function refusalText(refusal: RefusalInfo, request: LoggedRequest, times: Times): string {
  const { kind, words } = refusal
  const said = words === undefined ? '' : `: ${shown(words, 1_100)}`
  switch (kind) {
    case 'quota-exceeded':
      return quotaText(refusal, times)
    case 'invalid-key':
      return request.key_in === 'none' ? 'no key was sent' : 'no account has this key'
    case 'suspended':
      return `account ${request.account_id} is suspended${said}`
    case 'address-not-allowed':
      return `${shown(request.client_ip)} is not on the allowlist of account ${request.account_id}`
    case 'invalid-file':
      return `the file was refused${said}`
    case 'invalid-page':
      return `the page number is invalid${said}`
    default:
      return reasons[kind]?.sentence ?? shown(kind, 100)
  }
}

function quotaText({ window, limit, used, needed, fits_at: fitsAt }: RefusalInfo, times: Times): string {
  if (window === undefined) return 'the quota was full'
  const fits =
    fitsAt === null ? 'it never fits' : fitsAt === undefined ? 'it fits later' : `fits at ${times.due(fitsAt)}`
  return `${window} window full, ${used} of ${limit} used, ${needed} needed; ${fits}`
}

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
  return reasons[kind]?.brief ?? shown(kind, 40)
}
