import type { WindowName } from '../../../src/protocol/rate-limits.ts'
import type { AccountPatch } from '../../control/account-patch.ts'
import { isOutdated } from '../../site/forms/form-basis.ts'
import { type Html, html } from '../../site/html/html.ts'
import { readAt } from '../../values/codec.ts'
import { parseAllowlistEntry } from '../../values/ip-allowlist.ts'
import { count } from '../../values/value-type.ts'
import { copyButton } from '../copy-button.ts'
import { besideField, enteredText, numberOrText, readLimits, textOf } from '../form-fields.ts'
import { type Action, type ActionCall, FieldError } from '../section.ts'
import { shown } from '../shown.ts'

export const makeAccount: Action = ({ control, fields }) => {
  const email = enteredText(fields, 'email')
  const created = besideField('email', () => control.accounts.create(email === undefined ? {} : { email }))
  return {
    notice: secrets(`Account ${created.id} is created.`, [
      ['Email', created.email],
      ['Password', created.password],
      ['API key', created.api_key],
    ]),
  }
}

export const makeKey: Action = ({ control, fields }) => {
  const id = idOf(fields)
  const { api_key: key } = control.accounts.regenerateKey(id)
  return { notice: secrets(`Account ${id} has a new key. The old one has stopped working.`, [['API key', key]]) }
}

export const suspendAccount: Action = (call) => {
  const suspended = textOf(call.fields, 'suspended') === 'yes'
  const reason = suspended ? (enteredText(call.fields, 'reason') ?? null) : null
  return change(call, 'reason', { suspended, suspension_reason: reason })
}

/** Only limits that differ from the usual ones become the account's own. */
export const saveQuotas: Action = (call) => {
  const usual = call.control.settings.get().quotas
  const limits = readLimits(call.fields, (name) => name)
  const own = Object.entries(limits).filter(([name, limit]) => limit !== usual[name as WindowName])
  return change(call, 'burst', { quotas: own.length === 0 ? null : Object.fromEntries(own) })
}

export const takeBackQuotas: Action = (call) => change(call, 'burst', { quotas: null })

export const saveAllowlist: Action = (call) => {
  const lines = textOf(call.fields, 'ip_allowlist').split(/\r\n?|\n/)
  const entries = [...new Set(lines.map((line) => line.trim()).filter((line) => line !== ''))]
  const saved = call.control.accounts.get(idOf(call.fields)).ip_allowlist
  if (isOutdated(call.fields, saved.join('\n'), entries.join('\n'))) {
    const now = saved.length === 0 ? 'empty' : shown(saved.join(', '), 300)
    throw new FieldError('ip_allowlist', `The list was changed meanwhile. It is now ${now}: save again to replace it`)
  }
  const wrong = lines.findIndex((line) => line.trim() !== '' && typeof parseAllowlistEntry(line.trim()) === 'string')
  if (wrong !== -1) {
    const line = shown(lines[wrong], 60)
    throw new FieldError(
      'ip_allowlist',
      `Line ${wrong + 1}, "${line}", is neither an address nor a range such as 10.0.0.0/8`,
    )
  }
  return change(call, 'ip_allowlist', { ip_allowlist: entries })
}

export const saveCounts: Action = (call) => {
  const numberIn = (name: string) => numberOrText(textOf(call.fields, name).trim())
  const feedViews = besideField('feed_views', () => readAt(count, numberIn('feed_views'), 'The field feed_views'))
  return change(call, 'albums', { feed_views: feedViews, albums: numberIn('albums') as number })
}

export const deleteAccount: Action = async ({ control, fields }) => {
  const id = idOf(fields)
  if (textOf(fields, 'sure') !== 'yes') throw new FieldError('sure', 'Tick this to delete the account')
  await control.accounts.delete(id)
  return { notice: html`Account ${id} is deleted with its uploads and albums.`, query: { account: null } }
}

function change({ control, fields }: ActionCall, field: string, patch: AccountPatch): undefined {
  const id = idOf(fields)
  besideField(field, () => control.accounts.update(id, patch))
}

function idOf(fields: ActionCall['fields']): number {
  return numberOrText(textOf(fields, 'id')) as number
}

/** Texts that are shown once, each with a button that copies it. */
function secrets(text: string, rows: readonly (readonly [string, string])[]): Html {
  return html`<p>${text} Copy what you need: it is shown this once.</p><dl class="secrets">${rows.map(
    ([name, value]) =>
      html`<div><dt>${name}</dt><dd><output>${value}</output> ${copyButton({ text: value, name: `Copy ${name}` })}</dd></div>`,
  )}</dl>`
}
