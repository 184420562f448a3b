import { counted } from '../../../src/protocol/quantities.ts'
import { windowNames } from '../../../src/protocol/rate-limits.ts'
import type { Dialect } from '../../settings/dialects.ts'
import type { SettingListing } from '../../settings/listing.ts'
import type { Settings } from '../../settings/settings.ts'
import { addressed, link } from './address.ts'
import { call } from './api.ts'
import { type Child, h } from './dom.ts'
import { numberOrText } from './fault-input.ts'
import { field, options, pressForm } from './forms.ts'
import { limitFields, limitsIn } from './limits.ts'
import { known } from './view.ts'

const save = 'settings/save'
const quotaPrefix = 'quotas.'
const groups = { service: 'Service and keys', quota: 'Quota', answers: 'Answers', files: 'Files and list' }
const groupNames = Object.keys(groups) as (keyof typeof groups)[]

export function settingsContent(): Child {
  const { settings, settingTypes: types } = known
  if (settings === undefined || types === undefined) return 'Loading'
  const changed = types.filter((type) => isChanged(type, settings))
  const isFiltered = addressed('settings') === 'changed'
  const shown = isFiltered ? changed : types
  const other = isFiltered ? link('All settings', { settings: null }) : link('Only changed', { settings: 'changed' })
  return [
    h(
      'p',
      changed.length === 0
        ? 'Every setting has its default: this is the dialect spec. '
        : [h('strong', `${changed.length} changed`), ' from spec: ', changed.map(({ name }) => name).join(', '), '. '],
      (changed.length > 0 || isFiltered) && other,
    ),
    h(
      'div.row',
      { id: 'dialects' },
      h('span', 'Dialects:'),
      dialectsIn(types).map((name) => link(name, { dialect: name }, '', { class: 'button quiet' })),
    ),
    dialectPreview(types, settings),
    pressForm(
      { name: save, props: { oninput: markChanged, onreset: markChanged }, act: saveChanges },
      h(
        'div.groups',
        groupNames.map((name) => settingGroup(name, shown, settings)),
      ),
      h(
        'div.row.save',
        h('button', 'Save'),
        h('button', { type: 'reset', class: 'quiet' }, 'Discard'),
        h('span.soft', 'Only what you changed is saved.'),
      ),
    ),
  ]
}

/** The buttons stay in view while something is not saved. */
function markChanged({ type, currentTarget }: Event): void {
  ;(currentTarget as HTMLElement).toggleAttribute('data-changed', type === 'input')
}

function isChanged({ name, default: usual }: SettingListing, settings: Settings): boolean {
  return !isSame(settings[name], usual)
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function settingGroup(name: keyof typeof groups, shown: readonly SettingListing[], settings: Settings): Child {
  const types = shown.filter(({ group }) => group === name)
  if (types.length === 0) return false
  const changed = types.filter((type) => isChanged(type, settings)).length
  return h(
    'details.group',
    { id: `group-${name}`, open: innerWidth >= 640 || addressed('settings') === 'changed' },
    h(
      'summary',
      h('h3', groups[name]),
      h('span.soft', changed === 0 ? `${types.length}` : `${types.length}, ${changed} changed`),
    ),
    types.map((type) => setting(type, settings)),
  )
}

/** One line, with its sentence folded. */
function setting(type: SettingListing, settings: Settings): Child {
  const { name, description, default: usual, accepts } = type
  const value = settings[name]
  return h(
    'div',
    { class: isChanged(type, settings) ? 'setting changed' : 'setting', id: `setting-${name}` },
    name === 'quotas' ? limitFields(name, save, settings.quotas, quotaPrefix) : valueField(type, textOf(value)),
    h(
      'details.means',
      h('summary', { 'aria-label': 'What it means' }, '?'),
      h('p', withCode(description), ` Takes ${accepts}. Default: `, h('code', textOf(usual)), '.'),
    ),
  )
}

function valueField({ name, values }: SettingListing, text: string): Child {
  if (values === null) return field(save, name, name, { props: { value: text } })
  return field(save, name, name, { tag: 'select', children: options(values, text) })
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, one]) => `${name} ${one ?? 'unlimited'}`)
    .join(', ')
}

/** Words between backquotes are code. */
function withCode(text: string): Child {
  return text.split('`').map((part, at) => (at % 2 === 1 ? h('code', part) : part))
}

async function saveChanges(fields: FormData, form: HTMLFormElement): Promise<Child> {
  const changes = changesIn(fields, form)
  const names = Object.keys(changes)
  if (names.length === 0) return 'Every value is as it was, so nothing was saved.'
  known.settings = await call<Settings>('PATCH', '/settings', changes)
  return `Saved: ${names.join(', ')}.`
}

/** What a person changed, so that two people who change different settings do not undo each other's. */
function changesIn(fields: FormData, form: HTMLFormElement): Readonly<Record<string, unknown>> {
  const inputs = [...form.elements].filter((element) => isChangedField(element)) as HTMLInputElement[]
  const plain = inputs.filter(({ name }) => !name.startsWith(quotaPrefix))
  const limits = inputs.length === plain.length ? {} : limitsIn(fields, quotaPrefix)
  const quotas = windowNames.filter((window) => inputs.some(({ name }) => name === quotaPrefix + window))
  return {
    ...Object.fromEntries(plain.map(({ name, value }) => [name, givenFor(name, value)])),
    ...(quotas.length > 0 && { quotas: Object.fromEntries(quotas.map((window) => [window, limits[window]])) }),
  }
}

function isChangedField(element: Element): boolean {
  if (element instanceof HTMLInputElement) return element.value !== element.defaultValue
  if (!(element instanceof HTMLSelectElement)) return false
  return [...element.options].some(({ selected, defaultSelected }) => selected !== defaultSelected)
}

function givenFor(name: string, text: string): unknown {
  const values = known.settingTypes?.find((type) => type.name === name)?.values
  const chosen = values?.find((value) => String(value) === text)
  return chosen === undefined ? numberOrText(text.trim()) : chosen
}

/** The control API tells the value of a setting in each of them. */
function dialectsIn(types: readonly SettingListing[]): readonly Dialect[] {
  return types.flatMap(({ dialects }) => (dialects === null ? [] : [Object.keys(dialects) as Dialect[]]))[0] ?? []
}

/** What a dialect would change, and the button that changes it. */
function dialectPreview(types: readonly SettingListing[], settings: Settings): Child {
  const dialect = dialectsIn(types).find((name) => name === addressed('dialect'))
  if (dialect === undefined) return false
  const close = link('Close', { dialect: null })
  const targets = types.flatMap(({ name, dialects: values }) =>
    values === null ? [] : [[name, values[dialect]] as const],
  )
  const changes = targets.filter(([name, value]) => !isSame(settings[name], value))
  if (changes.length === 0) return h('p', `The settings are those of ${dialect} already. `, close)
  const act = async (): Promise<Child> => {
    known.settings = await call<Settings>('PATCH', '/settings', Object.fromEntries(targets))
    return `The settings are those of ${dialect} now.`
  }
  return h(
    'div.panel',
    h('h3', `${dialect} changes ${counted(changes.length, 'setting')}`),
    h(
      'ul.changes',
      changes.map(([name, value]) =>
        h('li', h('code', name), ` ${textOf(settings[name])} → `, h('strong', textOf(value))),
      ),
    ),
    pressForm({ name: 'settings/dialect', props: { class: 'row' }, act }, h('button', `Apply ${dialect}`), close),
  )
}
