import { clientClosedRequest, type RefusalNote, type RequestRecord } from '../../storage/records.ts'
import { nextWholeSecond } from '../../values/offset-date-time.ts'
import { shown, type Times } from '../shown.ts'

/** Why a request had the answer it had, in a sentence. */
export function whyText(request: RequestRecord, times: Times): string {
  const { status, fault, faultId, refusal, stored } = request
  const begin = `${Number(status)}: `
  if (fault !== undefined) {
    const number = faultId === undefined ? '' : ` ${faultId}`
    return `${begin}fault${number} struck (${shown(fault, 40)})${stored === true ? '; the file was stored' : ''}`
  }
  if (status === clientClosedRequest) {
    return `${begin}the client left before its answer${stored === true ? '; the file was stored' : ''}`
  }
  if (refusal !== undefined && refusal !== null) return begin + refusalText(refusal, request, times)
  if (status >= 400) return `${begin}refused; the log does not say why`
  return stored === true ? `${begin}answered, and the file was stored` : `${begin}answered`
}

function refusalText(refusal: RefusalNote, request: RequestRecord, times: Times): string {
  const { kind, words } = refusal
  const said = words === undefined ? '' : `: ${shown(words, 1_100)}`
  switch (kind) {
    case 'quota-exceeded':
      return quotaText(refusal, times)
    case 'invalid-key':
      return request.keyIn === 'none' ? 'no key was sent' : 'no account has this key'
    case 'suspended':
      return `account ${request.accountId} is suspended${said}`
    case 'address-not-allowed':
      return `${shown(request.clientIp)} is not on the allowlist of account ${request.accountId}`
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

function quotaText({ window, limit, used, needed, fitsAt }: RefusalNote, times: Times): string {
  if (window === undefined) return 'the quota was full'
  const fits =
    fitsAt === null
      ? 'it never fits'
      : fitsAt === undefined
        ? 'it fits later'
        : `fits at ${times.second(nextWholeSecond(fitsAt))}`
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
