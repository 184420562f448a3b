import { counted } from '../../../src/protocol/quantities.ts'
import { windowNames } from '../../../src/protocol/rate-limits.ts'
import type { AccountInfo } from '../../control/account-control.ts'
import { type Html, html } from '../../site/html/html.ts'
import { copyButton } from '../copy-button.ts'
import { keptQuery, linkTo } from '../form.ts'
import type { View } from '../section.ts'
import { shown } from '../shown.ts'

/** Accounts on one page: a suite makes one for each test. */
const pageSize = 10

/** Finds accounts by a part of their email, or by their number; shown once they fill more than a page. */
export function findForm(view: View): Html | false {
  const wanted = wantedOf(view)
  if (wanted === '' && view.directory.count() <= pageSize) return false
  return html`<form method="get" action="#accounts" class="row">${keptQuery(view, ['find', 'accounts_from'])}<span class="field"><label for="find">Find an account by email or number</label><input id="find" name="find" type="search" value="${wanted}"></span><button class="quiet">Find</button></form>
`
}

/** The accounts, the first account first. */
export function accountTable(view: View): Html {
  const page = view.directory.search({ wanted: wantedOf(view), from: firstOf(view), most: pageSize })
  const { accounts, from, found } = page
  return html`${accounts.length === 0 ? html`<p>No account matches.</p>` : tableOf(view, accounts)}
${found > accounts.length && pages(view, { from, to: from + accounts.length, of: found })}`
}

function wantedOf({ query }: View): string {
  return (query.get('find') ?? '').trim()
}

function firstOf({ query }: View): number {
  const given = query.get('accounts_from') ?? ''
  return /^\d{1,9}$/.test(given) ? Number(given) : 0
}

function tableOf(view: View, page: readonly AccountInfo[]): Html {
  return html`<table>
<thead><tr><th scope="col">Account<th scope="col">State<th scope="col">Counts<th scope="col">More<tbody>
${page.map((account) => row(view, account))}</table>`
}

function row(view: View, account: AccountInfo): Html {
  const { id, email } = account
  const change = linkTo(view, { account: id }, 'account')
  const requests = linkTo(view, { account_id: id, request: null }, 'requests')
  return html`<tr><th scope="row">${id} <span class="name">${shown(email, 80)}</span> <span class="name">${keyOf(view, id)}</span><td>${stateOf(account)}; ${quotasOf(account)}; ${allowlistOf(account)}<td>${countsOf(account)}<td><a href="${change}" aria-label="Change account ${id}">Change</a> <a href="${requests}" aria-label="Requests of account ${id}">Requests</a>
`
}

function countsOf({ uploads, albums, feed_views: feedViews }: AccountInfo): string {
  return [counted(uploads, 'upload'), counted(albums, 'album'), counted(feedViews, 'feed view')].join(', ')
}

function stateOf({ suspended, suspension_reason: reason }: AccountInfo): Html | string {
  if (!suspended) return 'active'
  return html`<strong>suspended</strong>${reason !== null && reason !== '' && `: ${shown(reason, 80)}`}`
}

/** The limits of the account's own. */
function quotasOf({ quotas }: AccountInfo): string {
  const own = windowNames.filter((name) => quotas?.[name] !== undefined)
  return own.length === 0 ? 'usual quotas' : own.map((name) => `${name} ${quotas?.[name] ?? 'unlimited'}`).join(', ')
}

function allowlistOf({ ip_allowlist: entries }: AccountInfo): string {
  const [first, second, ...more] = entries.map((entry) => shown(entry, 45))
  if (first === undefined) return 'every address'
  const shownOnes = second === undefined ? first : `${first}, ${second}`
  return more.length === 0 ? shownOnes : `${shownOnes} and ${more.length} more`
}

/** The emulator has only hashes of keys, and besides them the key of the first account. */
function keyOf({ control }: View, id: number): Html | string {
  const { api_key: key } = control.connection()
  if (id !== 1 || key === null) return 'key hidden'
  return html`key …${key.length > 8 && key.slice(-4)} ${copyButton({ text: key, name: 'Copy key', id: 'copy-key' })}`
}

interface ShownRange {
  readonly from: number
  readonly to: number
  readonly of: number
}

function pages(view: View, { from, to, of }: ShownRange): Html {
  const link = (start: number, text: string) =>
    html` <a href="${linkTo(view, { accounts_from: start === 0 ? null : start }, 'accounts')}">${text}</a>`
  return html`<p>${from + 1} to ${to} of ${of} accounts.${from > 0 && link(Math.max(from - pageSize, 0), 'Earlier')}${
    to < of && link(to, 'Later')
  }</p>`
}
