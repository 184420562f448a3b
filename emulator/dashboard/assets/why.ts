import type { ArmedFault } from '../../faults/fault-book.ts'
import type { LoggedRequest } from '../../storage/record-types.ts'
import { shown, type Times } from './shown.ts'

/** The status in the log if the client disconnected before the answer. */
const clientLeft = 499

type RefusalInfo = NonNullable<LoggedRequest['refusal']>

const wordsOf = (kind: string) => shown(kind, 100).replaceAll('-', ' ')

/** Of the kinds of refusals that say too little by themselves. */
const sentences: Readonly<Record<string, (request: LoggedRequest, refusal: RefusalInfo, times: Times) => string>> = {
  'api-disabled': () => 'the API is disabled for everyone (setting api_enabled)',
  'invalid-key': ({ key_in: keyIn }) => (keyIn === 'none' ? 'no key was sent' : 'no account has this key'),
  suspended: ({ account_id: id }) => `account ${id} is suspended`,
  'address-not-allowed': ({ client_ip: ip, account_id: id }) => `${shown(ip)} is not on the allowlist of account ${id}`,
  'quota-exceeded': (_, { window, limit, used, needed, fits_at: at }, times) => {
    if (window === undefined) return 'the quota was full'
    const fits = at === undefined ? 'it fits later' : at === null ? 'it never fits' : `fits at ${times.due(at)}`
    return `${window} window full, ${used} of ${limit} used, ${needed} needed; ${fits}`
  },
}

/** Why a request had the answer it had, in a sentence. */
export function whyText(request: LoggedRequest, times: Times): string {
  const { status, fault, fault_id: number, refusal, stored } = request
  const end = stored === true ? '; the file was stored' : ''
  if (fault !== undefined) return `${status}: fault ${number ?? ''} struck (${shown(fault, 40)})${end}`
  if (status === clientLeft) return `${status}: the client left before its answer${end}`
  if (refusal === undefined)
    return `${status}: ${status >= 400 ? 'refused; the log does not say why' : `answered${end}`}`
  const sentence = sentences[refusal.kind]?.(request, refusal, times) ?? wordsOf(refusal.kind)
  return `${status}: ${sentence}${refusal.words === undefined ? '' : `: ${shown(refusal.words, 1_100)}`}`
}

/** Why a request had the answer it had, in two or three words; nothing if all went well. */
export function briefReason({ fault, refusal, breach, key_in: keyIn, status }: LoggedRequest): string {
  if (fault !== undefined) return `fault ${shown(fault, 40)}`
  const reasons = [
    refusal !== undefined && (refusal.window === undefined ? wordsOf(refusal.kind) : `${refusal.window} full`),
    status === clientLeft && 'client left',
    breach !== undefined && 'too early',
  ]
  return reasons.filter(Boolean).join(', ') || (keyIn === 'query' ? 'key in query' : '')
}

/** Which requests a fault strikes, and how often still: `strikes POST /api/upload of account 3 from match 2 on, 1 of 1 left`. */
export function strikeWords({
  match: { method, path, account_id: account, nth = 1 },
  times,
  struck,
}: ArmedFault): string {
  const words = [
    `strikes ${[method, path].filter(Boolean).join(' ') || 'all'}${path === undefined ? ' API requests' : ''}`,
    account !== undefined && `of account ${account}`,
    nth > 1 && `from match ${nth} on`,
  ]
  return `${words.filter(Boolean).join(' ')}, ${times === null ? 'every time' : `${times - struck} of ${times} left`}`
}
