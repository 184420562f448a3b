import { type WindowName, windowNames } from '../../../src/protocol/rate-limits.ts'
import type { Dialect } from '../../settings/dialects.ts'
import type { SettingListing } from '../../settings/listing.ts'
import type { Settings } from '../../settings/settings.ts'
import { call } from './emulator.ts'
import { field, fields, form } from './forms.ts'
import { limitsIn, numberOrText, typed } from './input.ts'
import { change, type PageState, say } from './store.ts'
import { keyed, type View, view } from './view.ts'

const save = 'settings/save'
const quotaPrefix = 'quotas.'
const groups = [
  ['service', 'Service and keys'],
  ['quota', 'Quota'],
  ['answers', 'Answers'],
  ['files', 'Files and list'],
] as const

type Types = readonly SettingListing[]

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

export function settingsView({ settings, settingTypes: types }: PageState): View {
  if (settings === undefined || types === undefined) return 'Loading'
  const changed = types.filter(({ name, default: usual }) => !isSame(settings[name], usual))
  const dialects = dialectsIn(types).map(
    (name) => view`<button class="quiet" name="dialect" value=${name}>${name}</button>`,
  )
  const group = ([name, heading]: (typeof groups)[number]) => {
    const all = types.filter(({ group }) => group === name)
    const count = all.filter((type) => changed.includes(type)).length
    return view`<details class="group" ?open=${innerWidth >= 640}>
        <summary><h3>${heading}</h3> <span class="soft">${all.length}${count > 0 && `, ${count} changed`}</span></summary>
        ${keyed(all, 'name', (type) => setting(type, settings[type.name], changed.includes(type)))}
      </details>`
  }
  const content = view`<div class="groups">${keyed(groups, 0, group)}</div>
    <div class="row"><button>Save</button><span class="soft">Only what you changed is saved.</span></div>`
  return view`<p>${
    changed.length === 0
      ? 'Every setting has its default: this is the dialect spec.'
      : view`<strong>${changed.length} changed</strong> from spec: ${changed.map(({ name }) => name).join(', ')}.`
  }</p>
    ${form('settings/dialect', (fields) => apply(typed(fields, 'dialect') as Dialect, types), ['Dialects:', dialects], 'row')}
    ${form(save, (fields) => saveChanges(fields, types, settings), content)}`
}

/** One line, with its sentence folded. */
function setting(type: SettingListing, value: unknown, isChanged: boolean): View {
  const { name, description, default: usual, accepts, values } = type
  const text = textOf(value)
  const input =
    name === 'quotas'
      ? limitFields(value as Settings['quotas'])
      : field(save, { name, value: text, values: values ?? undefined, rows: text.length > 24 ? 3 : undefined })
  const code = description.split('`').map((part, at) => (at % 2 === 1 ? view`<code>${part}</code>` : part))
  return view`<div class=${isChanged ? 'setting changed' : 'setting'}>${input}<details class="means">
    <summary aria-label="What it means"></summary>
    <p>${code} Takes ${accepts}. Default: <code>${textOf(usual)}</code>.</p></details></div>`
}

/** Limits, each in a field of its own; an empty field is an unlimited window. */
function limitFields(limits: Settings['quotas']): View {
  const list = windowNames.map((window) => ({ name: quotaPrefix + window, label: window, value: limits[window] ?? '' }))
  return view`<fieldset><legend>quotas</legend><div class="quotas">${fields(save, list)}</div></fieldset>`
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, one]) => `${name} ${one ?? 'unlimited'}`)
    .join(', ')
}

async function saveChanges(fields: FormData, types: Types, settings: Settings): Promise<void> {
  const changes = changesIn(fields, types, settings)
  const names = Object.keys(changes)
  if (names.length === 0) return say('settings', 'Every value is as it was, so nothing was saved.')
  await patch(changes, `Saved: ${names.join(', ')}.`)
}

async function patch(changes: object, done: string): Promise<void> {
  change({ settings: await call<Settings>('PATCH', '/settings', changes) })
  say('settings', done)
}

/** What a person changed, so that two people who change different settings do not undo each other's. */
function changesIn(fields: FormData, types: Types, settings: Settings): object {
  const plain = types.flatMap(({ name, values }) => {
    const text = fields.get(name)
    if (text === null || text === textOf(settings[name])) return []
    return [[name, values?.find((value) => String(value) === text) ?? numberOrText(String(text).trim())]]
  })
  const limits = Object.entries(limitsIn(fields, quotaPrefix))
  const quotas = limits.filter(([name, limit]) => limit !== settings.quotas[name as WindowName])
  return { ...Object.fromEntries(plain), ...(quotas.length > 0 && { quotas: Object.fromEntries(quotas) }) }
}

/** The control API tells the value of a setting in each of them. */
function dialectsIn(types: Types): readonly Dialect[] {
  return Object.keys(types.find(({ dialects }) => dialects !== null)?.dialects ?? {}) as Dialect[]
}

/** Gives every setting that dialects decide its value in one of them. */
async function apply(dialect: Dialect, types: Types): Promise<void> {
  const values = types.flatMap(({ name, dialects }) => (dialects === null ? [] : [[name, dialects[dialect]] as const]))
  await patch(Object.fromEntries(values), `The settings are those of ${dialect} now.`)
}
