import { counted } from '../../../src/protocol/quantities.ts'
import { windowNames } from '../../../src/protocol/rate-limits.ts'
import type { AccountInfo, CreatedAccount } from '../../control/account-control.ts'
import { addressed, type Changes, go, link, linkTo, withoutFilter } from './address.ts'
import { copyButton, secrets } from './buttons.ts'
import { call } from './emulator.ts'
import { field, fieldForm, form, limitFields, pressButton, searchForm, sureForm } from './forms.ts'
import { CallRefusal, limitsIn, numberOrText, typed } from './input.ts'
import { shown } from './shown.ts'
import { type PageState, say } from './store.ts'
import { keyed, type View, view } from './view.ts'

const pageSize = 10

export function accountsView(page: PageState): View {
  const { accounts: all } = page
  if (all === undefined) return 'Loading'
  const wanted = (addressed('find') ?? '').trim().toLowerCase()
  const found = all.filter(({ id, email }) => `${id}` === wanted || email.toLowerCase().includes(wanted))
  const from = Math.min(Number(addressed('accounts_from')) || 0, Math.max(found.length - 1, 0))
  const accounts = found.slice(from, from + pageSize)
  const email = { name: 'email', label: 'Email of a new account (empty: made up)' }
  return view`${(all.length > pageSize || addressed('find') !== undefined) && findForm()}
    ${accounts.length === 0 && view`<p>No account matches.</p>`}
    <div class="rows">${keyed(accounts, 'id', (account) => accountCard(account, page))}</div>
    ${found.length > accounts.length && pages(from, from + accounts.length, found.length)}
    ${fieldForm('accounts/create', [email], 'Create account', makeAccount)}`
}

async function makeAccount(fields: FormData): Promise<void> {
  const email = typed(fields, 'email')
  const made = await call<CreatedAccount>('POST', '/accounts', email === '' ? {} : { email })
  const values = { Email: made.email, Password: made.password, 'API key': made.api_key }
  say('accounts', secrets(`Account ${made.id} is created.`, values))
}

function findForm(): View {
  const label = 'Find an account by email or number'
  const input = field('accounts', { name: 'find', label, value: addressed('find'), type: 'search' })
  const changes = (fields: FormData) => ({ find: typed(fields, 'find'), accounts_from: null })
  return searchForm('fit', 'Accounts', changes, view`${input}<button class="quiet">Find</button>`)
}

function accountCard(account: AccountInfo, page: PageState): View {
  const { id, email } = account
  const key = id === 1 ? page.connection?.api_key : undefined
  const isOpen = addressed('account') === `${id}`
  const to = (text: string, changes: Changes, anchor = '', name = text) =>
    link(text, changes, { anchor, label: `${name} account ${id}` })
  return view`<article class="row account" aria-label=${`Account ${id}`}>
    <span class="row"><strong>${id}</strong>${shown(email, 80)}${account.suspended && view`<span class="pill bad">suspended</span>`}</span>
    <span class="soft most">${factsOf(account).join('; ')}</span>
    <span class="row">
      ${key && copyButton('Copy key', () => key)}
      ${to('Quota', { quota_of: id }, 'quota', 'Quota of')}
      ${to('Requests', { ...withoutFilter, account_id: id, request: null }, 'requests', 'Requests of')}
      ${isOpen ? to('Close', { account: null }) : to('Change', { account: id })}
    </span>
    ${isOpen && accountForms(account, page)}
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

function pages(from: number, to: number, of: number): View {
  const at = (start: number, text: string) => link(text, { accounts_from: start || null })
  return view`<p>${from + 1} to ${to} of ${of} accounts. ${from > 0 && at(Math.max(from - pageSize, 0), 'Earlier')}
    ${to < of && at(to, 'Later')}</p>`
}

/** The forms that change one account, below its line. */
function accountForms(account: AccountInfo, { settings }: PageState): View {
  const { id, suspended, albums, feed_views: views } = account
  const change = (patch: object) => call('PATCH', `/accounts/${id}`, patch)
  const reason = { name: 'reason', label: 'Reason (empty: the usual message)', value: account.suspension_reason ?? '' }
  const suspend = (fields: FormData) => change({ suspended: true, suspension_reason: typed(fields, 'reason') || null })
  const lift = () => change({ suspended: false, suspension_reason: null })
  const counts = [
    { name: 'albums', label: 'Albums', value: albums },
    { name: 'feed_views', label: 'Feed views', value: views },
  ]
  const saveCounts = (fields: FormData) =>
    change(Object.fromEntries(counts.map(({ name }) => [name, numberOrText(typed(fields, name))])))
  // Only limits that differ from the usual ones become the account's own.
  const saveQuotas = (fields: FormData) => {
    const own = Object.entries(limitsIn(fields)).filter(([name, limit]) => limit !== usual?.[name])
    return change({ quotas: own.length === 0 ? null : Object.fromEntries(own) })
  }
  const usual: Readonly<Record<string, number | null>> | undefined = settings?.quotas
  const quotas = limitFields('Quotas in units (empty: unlimited)', 'accounts/quotas', { ...usual, ...account.quotas })
  return view`<div class="panel forms">
    ${suspended ? pressButton('accounts/lift', 'Lift the suspension', lift) : fieldForm('accounts/suspend', [reason], 'Suspend', suspend)}
    <div class="stack">
      ${form('accounts/quotas', saveQuotas, view`${quotas}<button class="quiet">Save quotas</button>`)}
      ${account.quotas !== null && pressButton('accounts/usual', 'Use the quotas of every account', () => change({ quotas: null }))}
    </div>
    ${allowlistForm(account, change)}
    ${fieldForm('accounts/counts', counts, 'Save counts', saveCounts)}
    <div class="stack"><p>The emulator keeps a hash of the key. A new one is shown once, and the old one stops working at once.</p>
      ${pressButton('accounts/key', 'Make a new key', () => makeKey(id))}</div>
    ${sureForm('accounts/delete', 'Its uploads are deleted too', `Delete account ${id}`, () => remove(id))}
  </div>`
}

function allowlistForm({ ip_allowlist: list }: AccountInfo, change: (patch: object) => Promise<unknown>): View {
  const name = 'ip_allowlist'
  const saved = list.join('\n')
  // What the list was when it began to be changed: another page may change it meanwhile.
  const oninput = ({ currentTarget }: Event) => {
    ;(currentTarget as HTMLElement).dataset['basis'] ??= saved
  }
  const act = async (fields: FormData, form: HTMLFormElement) => {
    const entries = [...new Set(typed(fields, name).split(/\s*\n\s*/))].filter(Boolean)
    const { dataset } = form.querySelector('textarea') as HTMLElement
    if ((dataset['basis'] ?? saved) !== saved && entries.join('\n') !== saved) {
      dataset['basis'] = saved
      const now = saved === '' ? 'empty' : shown(saved.replaceAll('\n', ', '), 300)
      const text = `The list was changed meanwhile. It is now ${now}: save again to replace it`
      throw new CallRefusal(text, 409, name)
    }
    await change({ ip_allowlist: entries })
    delete dataset['basis']
  }
  const label = 'Allowed addresses, one a line, ranges too (empty: every address)'
  return fieldForm('accounts/allowlist', [{ name, label, value: saved, rows: 3, oninput }], 'Save addresses', act)
}

async function makeKey(id: number): Promise<void> {
  const { api_key: made } = await call<{ api_key: string }>('POST', `/accounts/${id}/key`)
  say('accounts', secrets(`Account ${id} has a new key. The old one has stopped working.`, { 'API key': made }))
}

async function remove(id: number): Promise<void> {
  await call('DELETE', `/accounts/${id}`)
  go(linkTo({ account: null }))
  say('accounts', `Account ${id} is deleted with its uploads.`)
}
