import { counted } from '../../../src/protocol/quantities.ts'
import { type Dialect, dialectSettings, dialects } from '../../settings/dialects.ts'
import { createSettings, type SettingChanges, type Settings } from '../../settings/settings.ts'
import { type Html, html } from '../../site/html/html.ts'
import { formTo, keptQuery, linkTo } from '../form.ts'
import { textOf } from '../form-fields.ts'
import type { Action, View } from '../section.ts'
import { allSettingNames, isSame, valueText } from './setting-form.ts'

/** How much, not how: a dialect leaves these as they are. */
const independent: ReadonlySet<keyof Settings> = new Set(['api_enabled', 'max_file_size', 'quotas'])

const dialectNames = Object.keys(dialects) as readonly Dialect[]

/** Buttons that show what a dialect would change, and the list with the button that changes it. */
export function dialectChoice(view: View): Html {
  const chosen = dialectNames.find((name) => name === view.query.get('dialect'))
  return html`<form method="get" action="#dialects" class="row" id="dialects">${keptQuery(view, ['dialect'])}<span>Dialects:</span>${dialectNames.map(
    (name) => html`<button class="quiet" name="dialect" value="${name}">${name}</button>`,
  )}</form>
${chosen !== undefined && preview(view, chosen)}`
}

function preview(view: View, dialect: Dialect): Html {
  const current = view.control.settings.get()
  const target = targetOf(dialect)
  const changes = dialectSettingNames.filter((name) => !isSame(current[name], target[name]))
  const close = html`<a href="${linkTo(view, { dialect: null }, 'settings')}">Close</a>`
  if (changes.length === 0) return html`<p>The settings are those of ${dialect} already. ${close}</p>`
  return html`<div class="panel"><h3>${dialect} changes ${counted(changes.length, 'setting')}</h3><ul class="changes">${changes.map(
    (name) =>
      html`<li><code>${name}</code> ${valueText(current[name])} → <strong>${valueText(target[name])}</strong></li>`,
  )}</ul>${formTo(view, 'settings/dialect', html`<button>Apply ${dialect}</button> ${close}`, { fields: { dialect }, className: 'row' })}</div>`
}

/** Sets every setting that a dialect decides. */
export const applyDialect: Action = ({ control, fields }) => {
  const dialect = textOf(fields, 'dialect') as Dialect
  const target = targetOf(dialect)
  control.settings.update(Object.fromEntries(dialectSettingNames.map((name) => [name, target[name]])) as SettingChanges)
  return { notice: html`The settings are those of ${dialect} now.`, query: { dialect: null } }
}

const dialectSettingNames = allSettingNames.filter((name) => !independent.has(name))

/** @throws TypeError naming the dialects there are */
function targetOf(dialect: Dialect): Settings {
  return createSettings(dialectSettings(dialect)).current
}
