import { counted } from '../../../src/protocol/quantities.ts'
import { windowNames } from '../../../src/protocol/rate-limits.ts'
import type { AccountInfo } from '../../control/account-control.ts'
import { type Changes, link, withoutFilter } from './address.ts'
import { copyButton } from './buttons.ts'
import { shown } from './shown.ts'
import type { PageState } from './store.ts'
import { keyed, type View, view } from './view.ts'

/** More would make the page slow; the control API lists all. */
const mostShown = 100

export function accountsView({ accounts, connection }: PageState): View {
  if (accounts === undefined) return 'Loading'
  const card = (account: AccountInfo) => accountCard(account, connection?.api_key)
  return view`<div class="rows">${keyed(accounts.slice(0, mostShown), 'id', card)}</div>
    ${accounts.length > mostShown && view`<p>The first ${mostShown} of ${accounts.length} accounts.</p>`}`
}

/** @param firstKey of the first account; other keys are not kept */
function accountCard(account: AccountInfo, firstKey: string | null | undefined): View {
  const { id, email } = account
  const key = id === 1 && firstKey
  const to = (text: string, changes: Changes, anchor: string) =>
    link(text, changes, { anchor, label: `${text} of account ${id}` })
  return view`<article class="row account" aria-label=${`Account ${id}`}>
    <span class="row"><strong>${id}</strong>${shown(email, 80)}${account.suspended && view`<span class="pill bad">suspended</span>`}</span>
    <span class="soft most">${factsOf(account).join('; ')}</span>
    <span class="row">
      ${key && copyButton('Copy key', () => key)}
      ${to('Quota', { quota_of: id }, 'quota')}
      ${to('Requests', { ...withoutFilter, account_id: id, request: null }, 'requests')}
    </span>
  </article>`
}

function factsOf({ ip_allowlist: entries, quotas, ...account }: AccountInfo): readonly string[] {
  const own = windowNames.filter((name) => quotas?.[name] !== undefined)
  const listed = entries.slice(0, 2).map((entry) => shown(entry, 45))
  const more = entries.length > 2 ? ` and ${entries.length - 2} more` : ''
  const counts = { upload: account.uploads, album: account.albums, 'feed view': account.feed_views }
  return [
    ...(account.suspension_reason ? [shown(account.suspension_reason, 80)] : []),
    own.map((name) => `${name} ${quotas?.[name] ?? 'unlimited'}`).join(', ') || 'usual quotas',
    listed.join(', ') + more || 'every address',
    ...Object.entries(counts).map(([noun, count]) => counted(count, noun)),
  ]
}
