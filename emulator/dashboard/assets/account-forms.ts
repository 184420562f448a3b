import { windowNames } from '../../../src/protocol/rate-limits.ts'
import type { AccountInfo, AccountPatch } from '../../control/account-control.ts'
import { go, linkTo } from './address.ts'
import { call } from './api.ts'
import { type Child, h } from './dom.ts'
import { numberOrText } from './fault-input.ts'
import { field, fieldForm, pressButton, pressForm, quietly, secrets, typed } from './forms.ts'
import { limitFields, limitsIn } from './limits.ts'
import { FieldProblem } from './problems.ts'
import { shown } from './shown.ts'
import { askConnection, known } from './view.ts'

/** The forms that change one account, below its line. */
export function accountForms(account: AccountInfo): Child {
  return h(
    'div.forms.panel',
    suspension(account),
    quotas(account),
    allowlist(account),
    counts(account),
    key(account),
    deletion(account),
  )
}

const change = ({ id }: AccountInfo, patch: AccountPatch) => call('PATCH', `/accounts/${id}`, patch).then(quietly)

const quiet = (text: string) => h('button.quiet', text)

function suspension(account: AccountInfo): Child {
  const name = 'accounts/suspend'
  if (account.suspended) {
    const act = () => change(account, { suspended: false, suspension_reason: null })
    return pressForm({ name, act }, quiet('Lift the suspension'))
  }
  const act = (fields: FormData) =>
    change(account, { suspended: true, suspension_reason: typed(fields, 'reason') || null })
  const value = account.suspension_reason ?? ''
  const label = 'Reason (empty: the usual message)'
  return fieldForm({ name, field: 'reason', act }, label, { props: { value } }, 'Suspend')
}

function quotas(account: AccountInfo): Child {
  const name = 'accounts/quotas'
  const usual = known.settings?.quotas
  const limits = { ...usual, ...account.quotas }
  const act = (fields: FormData) => {
    const given = limitsIn(fields)
    const own = windowNames.filter((window) => given[window] !== usual?.[window])
    // Only limits that differ from the usual ones become the account's own.
    return change(account, {
      quotas: own.length === 0 ? null : Object.fromEntries(own.map((window) => [window, given[window]])),
    } as AccountPatch)
  }
  return h(
    'div',
    pressForm(
      { name, field: 'burst', act },
      limitFields('Quotas in units (empty: unlimited)', name, limits),
      quiet('Save quotas'),
    ),
    account.quotas !== null &&
      pressButton(
        { name: 'accounts/usual-quotas', act: () => change(account, { quotas: null }) },
        'Use the quotas of every account',
      ),
  )
}

/** What the list was when it began to be changed: another page may change it meanwhile. */
function allowlist(account: AccountInfo): Child {
  const name = 'accounts/allowlist'
  const saved = account.ip_allowlist.join('\n')
  const oninput = ({ target }: Event) => {
    ;(target as HTMLElement).dataset['basis'] ??= saved
  }
  const act = async (fields: FormData, form: HTMLFormElement): Promise<Child> => {
    const area = form.querySelector('textarea')
    const entries = [
      ...new Set(
        typed(fields, 'ip_allowlist')
          .split(/\s*\n\s*/)
          .filter(Boolean),
      ),
    ]
    const basis = area?.dataset['basis'] ?? saved
    if (basis !== saved && entries.join('\n') !== saved) {
      if (area !== null) area.dataset['basis'] = saved
      const now = saved === '' ? 'empty' : shown(saved.replaceAll('\n', ', '), 300)
      throw new FieldProblem(
        'ip_allowlist',
        `The list was changed meanwhile. It is now ${now}: save again to replace it`,
      )
    }
    const done = await change(account, { ip_allowlist: entries })
    delete area?.dataset['basis']
    return done
  }
  const label = 'Allowed addresses, one a line, ranges too (empty: every address)'
  const options = { tag: 'textarea', props: { rows: 3, oninput }, children: saved } as const
  return fieldForm({ name, field: 'ip_allowlist', act }, label, options, 'Save addresses')
}

function counts(account: AccountInfo): Child {
  const name = 'accounts/counts'
  const act = (fields: FormData) => {
    const given = (field: string) => numberOrText(typed(fields, field))
    return change(account, { albums: given('albums'), feed_views: given('feed_views') } as AccountPatch)
  }
  const input = (of: string, label: string, value: number) => field(name, of, label, { props: { value } })
  const inputs = [input('albums', 'Albums', account.albums), input('feed_views', 'Feed views', account.feed_views)]
  return pressForm({ name, field: 'albums', act }, h('div.fields', inputs), quiet('Save counts'))
}

function key({ id }: AccountInfo): Child {
  const act = async (): Promise<Child> => {
    const { api_key: made } = await call<{ api_key: string }>('POST', `/accounts/${id}/key`)
    askConnection()
    return secrets(`Account ${id} has a new key. The old one has stopped working.`, { 'API key': made })
  }
  const text = h('p', 'A new key is shown once. The old one stops working at once.')
  return pressForm({ name: 'accounts/key', act }, text, quiet('Make a new key'))
}

function deletion({ id }: AccountInfo): Child {
  const act = async (): Promise<Child> => {
    await call('DELETE', `/accounts/${id}`)
    askConnection()
    go(linkTo({ account: null }))
    return `Account ${id} is deleted with its uploads and albums.`
  }
  return sureForm('accounts/delete', 'Its uploads and albums are deleted too', `Delete account ${id}`, act)
}

/** A form with a second step: a box that a person has to tick. */
export function sureForm(
  name: `accounts/${string}` | `state/${string}`,
  consequence: string,
  text: string,
  act: () => Promise<Child>,
): Child {
  const box = h('input', { type: 'checkbox', name: 'sure', required: true })
  return pressForm({ name, act }, h('label.check', box, ` ${consequence}`), h('button.danger', text))
}
