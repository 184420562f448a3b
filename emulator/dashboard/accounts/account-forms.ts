import { windowNames } from '../../../src/protocol/rate-limits.ts'
import type { AccountInfo } from '../../control/account-control.ts'
import { MissingRecordError } from '../../service/refusal.ts'
import { basisField, basisOf } from '../../site/forms/form-basis.ts'
import { type Html, html } from '../../site/html/html.ts'
import { field, formTo, linkTo } from '../form.ts'
import type { View } from '../section.ts'
import { shown } from '../shown.ts'
import { sureForm } from '../sure-form.ts'
import { textArea } from '../text-area.ts'

/** The forms that change the account that the page's address names. */
export function chosenAccount(view: View): Html | false {
  const wanted = wantedId(view)
  if (wanted === undefined) return false
  const account = find(view, wanted)
  const close = html`<a href="${linkTo(view, { account: null }, 'accounts')}">Close</a>`
  if (account === undefined) return html`<p id="account">There is no account ${wanted}. ${close}</p>`
  const { id, email } = account
  return html`<div id="account" class="panel"><h3>Account ${id}: ${shown(email, 80)}</h3><p>${close}</p><div class="forms">
${suspension(view, account)}
${quotas(view, account)}
${allowlist(view, account)}
${counts(view, account)}
${key(view, id)}
${deletion(view, id)}
</div></div>`
}

function find({ control }: View, id: number): AccountInfo | undefined {
  try {
    return control.accounts.get(id)
  } catch (error) {
    if (error instanceof MissingRecordError) return undefined
    throw error
  }
}

function wantedId({ query }: View): number | undefined {
  const given = query.get('account') ?? ''
  return /^\d{1,15}$/.test(given) ? Number(given) : undefined
}

function suspension(view: View, { id, suspended, suspension_reason: reason }: AccountInfo): Html {
  const action = 'accounts/suspend'
  if (suspended) {
    return formTo(view, action, html`<button class="quiet">Lift the suspension</button>`, {
      fields: { id, suspended: 'no' },
    })
  }
  const value = reason ?? ''
  return formTo(
    view,
    action,
    html`${field({ view, action, name: 'reason', label: 'Reason (empty: the usual message)', value })}<button class="quiet">Suspend</button>`,
    { fields: { id, suspended: 'yes' } },
  )
}

function quotas(view: View, { id, quotas: own }: AccountInfo): Html {
  const action = 'accounts/quotas'
  const limits = { ...view.control.settings.get().quotas, ...own }
  return html`<div>${formTo(
    view,
    action,
    html`<fieldset><legend>Quotas in units (empty: unlimited)</legend><div class="quotas">${windowNames.map((name) =>
      field({ view, action, name, label: name, value: `${limits[name] ?? ''}` }),
    )}</div></fieldset><button class="quiet">Save quotas</button>`,
    { fields: { id } },
  )}${
    own !== null &&
    formTo(view, 'accounts/usual-quotas', html`<button class="quiet">Use the quotas of every account</button>`, {
      fields: { id },
    })
  }</div>`
}

function allowlist(view: View, { id, ip_allowlist: entries }: AccountInfo): Html {
  const action = 'accounts/allowlist'
  const value = entries.join('\n')
  const label = 'Allowed addresses, one a line, ranges too (empty: every address)'
  return formTo(
    view,
    action,
    html`${textArea({ view, action, name: 'ip_allowlist', label, value })}<button class="quiet">Save addresses</button>`,
    { fields: { id, [basisField]: basisOf(value) } },
  )
}

function counts(view: View, { id, albums, feed_views: feedViews }: AccountInfo): Html {
  const action = 'accounts/counts'
  return formTo(
    view,
    action,
    html`<div class="fields">${field({ view, action, name: 'albums', label: 'Albums', value: `${albums}` })}${field({
      view,
      action,
      name: 'feed_views',
      label: 'Feed views',
      value: `${feedViews}`,
    })}</div><button class="quiet">Save counts</button>`,
    { fields: { id } },
  )
}

function key(view: View, id: number): Html {
  const content = html`<p>A new key is shown once. The old one stops working at once.</p><button class="quiet">Make a new key</button>`
  return formTo(view, 'accounts/key', content, { fields: { id } })
}

function deletion(view: View, id: number): Html {
  return sureForm(view, {
    action: 'accounts/delete',
    consequence: 'Its uploads and albums are deleted too',
    button: `Delete account ${id}`,
    fields: { id },
  })
}
