import { counted } from '../../../src/protocol/quantities.ts'
import { windowNames } from '../../../src/protocol/rate-limits.ts'
import type { AccountInfo, CreatedAccount } from '../../control/account-control.ts'
import { accountForms } from './account-forms.ts'
import { addressed, type Changes, link, withoutFilter } from './address.ts'
import { call } from './api.ts'
import { type Child, h } from './dom.ts'
import { copyButton, field, pressForm, searchForm, secrets, typed } from './forms.ts'
import { shown } from './shown.ts'
import { known } from './view.ts'

const pageSize = 10
const create = 'accounts/create'

export function accountsContent(): Child {
  const { accounts } = known
  if (accounts === undefined) return 'Loading'
  const { accounts: page, from, found, all } = accounts
  return [
    (all > pageSize || addressed('find') !== undefined) && findForm(),
    page.length === 0 && h('p', 'No account matches.'),
    h('div.accounts', page.map(accountCard)),
    found > page.length && pages(from, from + page.length, found),
    pressForm(
      { name: create, field: 'email', props: { class: 'row' }, act: makeAccount },
      field(create, 'email', 'Email of a new account (empty: made up)'),
      h('button', 'Create account'),
    ),
  ]
}

async function makeAccount(fields: FormData): Promise<Child> {
  const email = typed(fields, 'email')
  const made = await call<CreatedAccount>('POST', '/accounts', email === '' ? {} : { email })
  return secrets(`Account ${made.id} is created.`, {
    Email: made.email,
    Password: made.password,
    'API key': made.api_key,
  })
}

function findForm(): Child {
  const props = { value: addressed('find') ?? '', type: 'search' }
  return searchForm(
    'Accounts',
    (fields) => ({ find: typed(fields, 'find'), accounts_from: null }),
    { class: 'row' },
    field('accounts', 'find', 'Find an account by email or number', { props }),
    h('button.quiet', 'Find'),
  )
}

function accountCard(account: AccountInfo): Child {
  const { id, email } = account
  const isOpen = addressed('account') === `${id}`
  const to = (text: string, changes: Changes, anchor = '', name = text) =>
    link(text, changes, anchor, { 'aria-label': `${name} account ${id}` })
  return h(
    'article',
    { id: `account-${id}`, class: isOpen ? 'account open' : 'account', 'aria-label': `Account ${id}` },
    h(
      'div.row',
      h('strong', id),
      h('span.name', shown(email, 80)),
      account.suspended && h('span.pill.bad', 'suspended'),
      h(
        'span.row.links',
        to('Quota', { quota_of: id }, 'quota', 'Quota of'),
        to('Requests', { ...withoutFilter, account_id: id, request: null }, 'requests', 'Requests of'),
        isOpen ? to('Close', { account: null }) : to('Change', { account: id }),
      ),
    ),
    h('p.soft', `${stateOf(account)}; ${quotasOf(account)}; ${allowlistOf(account)}; ${countsOf(account)}`),
    h('p.row.soft', keyOf(id)),
    isOpen && accountForms(account),
  )
}

function stateOf({ suspended, suspension_reason: reason }: AccountInfo): string {
  if (!suspended) return 'active'
  return reason === null || reason === '' ? 'suspended' : `suspended: ${shown(reason, 80)}`
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

function countsOf({ uploads, albums, feed_views: feedViews }: AccountInfo): string {
  return [counted(uploads, 'upload'), counted(albums, 'album'), counted(feedViews, 'feed view')].join(', ')
}

/** The emulator has only hashes of keys, and besides them the key of the first account. */
function keyOf(id: number): Child {
  const key = known.connection?.api_key
  if (id !== 1 || key == null) return 'The emulator keeps only a hash of its key.'
  return [`key …${key.length > 8 ? key.slice(-4) : ''}`, copyButton('Copy key', () => key, { id: 'copy-key' })]
}

function pages(from: number, to: number, of: number): Child {
  const at = (start: number, text: string) => [' ', link(text, { accounts_from: start || null })]
  return h(
    'p',
    `${from + 1} to ${to} of ${of} accounts.`,
    from > 0 && at(Math.max(from - pageSize, 0), 'Earlier'),
    to < of && at(to, 'Later'),
  )
}
