import type { Settings } from '../../settings/settings.ts'
import { type Html, html } from '../../site/html/html.ts'
import { formTo, linkTo, liveRegion } from '../form.ts'
import { type Action, FieldErrors, type Section, type View } from '../section.ts'
import { applyDialect, dialectChoice } from './dialect-choice.ts'
import { allSettingNames, isChanged, readSettings, shownField, valueText } from './setting-form.ts'
import { saveAction, settingTable } from './setting-table.ts'

const save: Action = ({ control, fields }) => {
  const { changes, problems } = readSettings(fields)
  if (problems.size > 0) throw new FieldErrors(refusal(problems.size), problems)
  control.settings.update(changes)
  const names = Object.keys(changes)
  return {
    notice: html`${names.length === 0 ? 'Every value is as it was, so nothing was saved.' : `Saved: ${names.join(', ')}.`}`,
  }
}

export const settingsSection: Section = {
  name: 'settings',
  heading: 'Settings',
  live: changedLine,
  view: (view) => html`${liveRegion('settings', changedLine(view))}
${dialectChoice(view)}
${form(view)}`,
  actions: { save, dialect: applyDialect },
}

function refusal(count: number): string {
  return `Nothing is saved: ${count === 1 ? 'one value cannot be taken' : `${count} values cannot be taken`}.`
}

function changedNames(settings: Settings) {
  return allSettingNames.filter((name) => isChanged(name, settings))
}

/** What differs from the dialect `spec`, in words. */
function changedLine({ control }: View): Html {
  const settings = control.settings.get()
  const names = changedNames(settings)
  if (names.length === 0) return html`<p>Every setting has its default: this is the dialect spec.</p>`
  return html`<p><strong>${names.length} changed</strong> from spec: ${names.map(
    (name, at) => html`${at > 0 && ', '}<code>${name}</code> ${valueText(settings[name])}`,
  )}.</p>`
}

function form(view: View): Html {
  const settings = view.control.settings.get()
  const changed = changedNames(settings)
  const isFiltered = view.query.get('settings') === 'changed'
  const names = isFiltered ? changed : allSettingNames
  const other = isFiltered
    ? html`<a href="${linkTo(view, { settings: null }, 'settings')}">All settings</a>`
    : html`<a href="${linkTo(view, { settings: 'changed' }, 'settings')}">Only changed</a>`
  if (names.length === 0) return html`<p>${other}</p>`
  const shown = JSON.stringify(Object.fromEntries(changed.map((name) => [name, settings[name]])))
  return html`<p>${other}</p>
${formTo(view, saveAction, html`${settingTable(view, names)}<button>Save</button>`, { className: 'table', fields: { [shownField]: shown } })}`
}
