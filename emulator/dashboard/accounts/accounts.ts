import { html } from '../../site/html/html.ts'
import { field, formTo, liveRegion } from '../form.ts'
import type { Section } from '../section.ts'
import {
  deleteAccount,
  makeAccount,
  makeKey,
  saveAllowlist,
  saveCounts,
  saveQuotas,
  suspendAccount,
  takeBackQuotas,
} from './account-actions.ts'
import { chosenAccount } from './account-forms.ts'
import { accountTable, findForm } from './account-table.ts'

export const accountsSection: Section = {
  name: 'accounts',
  heading: 'Accounts',
  live: accountTable,
  view: (view) => html`${findForm(view)}${liveRegion('accounts', accountTable(view))}
${chosenAccount(view)}
${formTo(
  view,
  'accounts/create',
  html`${field({ view, action: 'accounts/create', name: 'email', label: 'Email of a new account (empty: made up)', type: 'text' })}
<button>Create account</button>`,
  { className: 'row' },
)}`,
  actions: {
    create: makeAccount,
    suspend: suspendAccount,
    quotas: saveQuotas,
    'usual-quotas': takeBackQuotas,
    allowlist: saveAllowlist,
    counts: saveCounts,
    key: makeKey,
    delete: deleteAccount,
  },
}
