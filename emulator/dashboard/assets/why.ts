import type { LoggedRequest } from '../../storage/records.ts'
import { shown, type Times } from './shown.ts'

/** The status in the log if the client disconnected before the answer. */
export const clientLeft = 499

type RefusalInfo = NonNullable<LoggedRequest['refusal']>

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
    case 'api-disabled':
      return 'the API is disabled for everyone (setting api_enabled)'
    case 'invalid-file':
      return `the file was refused${said}`
    case 'invalid-page':
      return `the page number is invalid${said}`
    default:
      return sentences[kind] ?? shown(kind, 100)
  }
}

function quotaText({ window, limit, used, needed, fits_at: fitsAt }: RefusalInfo, times: Times): string {
  if (window === undefined) return 'the quota was full'
  const fits =
    fitsAt === null ? 'it never fits' : fitsAt === undefined ? 'it fits later' : `fits at ${times.due(fitsAt)}`
  return `${window} window full, ${used} of ${limit} used, ${needed} needed; ${fits}`
}

const sentences: Readonly<Record<string, string>> = {
  'upload-not-found': 'the account has no such upload',
  'page-not-found': 'the list has no such page',
  'body-too-large': 'the body is larger than any upload may be',
  'route-not-found': 'the service has no such path',
  'method-not-allowed': 'the path does not take this method',
  'malformed-path': 'the path is not valid UTF-8',
  'bad-host': 'the Host header is neither a name nor an address',
  'bad-method': 'the method override is no method',
  'server-error': 'the service failed; its output has the error',
}
