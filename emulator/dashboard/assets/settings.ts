import { counted } from '../../../src/protocol/quantities.ts'
import type { WindowName } from '../../../src/protocol/rate-limits.ts'
import type { Dialect } from '../../settings/dialects.ts'
import type { SettingListing } from '../../settings/listing.ts'
import type { Settings } from '../../settings/settings.ts'
import { addressed, link } from './address.ts'
import { call } from './api.ts'
import { field, limitFields } from './fields.ts'
import { form } from './forms.ts'
import { limitsIn, numberOrText } from './input.ts'
import { change, type PageState, say, state } from './store.ts'
import { keyed, type View, view } from './view.ts'

const save = 'settings/save'
const quotaPrefix = 'quotas.'
const groups = [
  ['service', 'Service and keys'],
  ['quota', 'Quota'],
  ['answers', 'Answers'],
  ['files', 'Files and list'],
] as const

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

export function settingsView({ settings, settingTypes: types }: PageState): View {
  if (settings === undefined || types === undefined) return 'Loading'
  const isChanged = ({ name, default: usual }: SettingListing) => !isSame(settings[name], usual)
  const changed = types.filter(isChanged)
  const isFiltered = addressed('settings') === 'changed'
  const other = isFiltered ? link('All settings', { settings: null }) : link('Only changed', { settings: 'changed' })
  const dialects = dialectsIn(types).map((name) => link(name, { dialect: name }, { class: 'button quiet' }))
  const shownGroup = ([name, heading]: (typeof groups)[number]) => {
    const all = (isFiltered ? changed : types).filter(({ group }) => group === name)
    const count = all.filter(isChanged).length
    const open = innerWidth >= 640 || isFiltered
    return (
      all.length > 0 &&
      view`<details class="group" ?open=${open}>
        <summary><h3>${heading}</h3> <span class="soft">${all.length}${count > 0 && `, ${count} changed`}</span></summary>
        ${keyed(all, 'name', (type) => setting(type, settings[type.name], isChanged(type)))}
      </details>`
    )
  }
  const content = view`<div class="groups">${keyed(groups, 0, shownGroup)}</div>
    <div class="row save"><button>Save</button><button type="reset" class="quiet">Discard</button>
      <span class="soft">Only what you changed is saved.</span></div>`
  return view`<p>${
    changed.length === 0
      ? 'Every setting has its default: this is the dialect spec. '
      : view`<strong>${changed.length} changed</strong> from spec: ${changed.map(({ name }) => name).join(', ')}. `
  }${(changed.length > 0 || isFiltered) && other}</p>
    <div class="row"><span>Dialects:</span>${dialects}</div>
    ${dialectPreview(types, settings)}
    ${form({ name: save, act: saveChanges }, content)}`
}

/** One line, with its sentence folded. */
function setting(type: SettingListing, value: unknown, isChanged: boolean): View {
  const { name, description, default: usual, accepts, values } = type
  const input =
    name === 'quotas'
      ? limitFields(name, save, value as Settings['quotas'], quotaPrefix)
      : field(save, { name, value: textOf(value), values: values ?? undefined })
  const code = description.split('`').map((part, at) => (at % 2 === 1 ? view`<code>${part}</code>` : part))
  return view`<div class=${isChanged ? 'setting changed' : 'setting'}>${input}<details class="means">
    <summary aria-label="What it means">?</summary>
    <p>${code} Takes ${accepts}. Default: <code>${textOf(usual)}</code>.</p></details></div>`
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, one]) => `${name} ${one ?? 'unlimited'}`)
    .join(', ')
}

async function saveChanges(fields: FormData): Promise<void> {
  const changes = changesIn(fields)
  const names = Object.keys(changes)
  if (names.length === 0) return say('settings', 'Every value is as it was, so nothing was saved.')
  change({ settings: await call<Settings>('PATCH', '/settings', changes) })
  say('settings', `Saved: ${names.join(', ')}.`)
}

/** What a person changed, so that two people who change different settings do not undo each other's. */
function changesIn(fields: FormData): object {
  const { settings, settingTypes = [] } = state
  const plain = settingTypes.flatMap(({ name, values }) => {
    const text = fields.get(name)
    if (text === null || text === textOf(settings?.[name])) return []
    return [[name, values?.find((value) => String(value) === text) ?? numberOrText(String(text).trim())]]
  })
  const limits = fields.has(`${quotaPrefix}burst`) ? limitsIn(fields, quotaPrefix) : {}
  const quotas = Object.entries(limits).filter(([name, limit]) => limit !== settings?.quotas[name as WindowName])
  return { ...Object.fromEntries(plain), ...(quotas.length > 0 && { quotas: Object.fromEntries(quotas) }) }
}

/** The control API tells the value of a setting in each of them. */
function dialectsIn(types: readonly SettingListing[]): readonly Dialect[] {
  return Object.keys(types.find(({ dialects }) => dialects !== null)?.dialects ?? {}) as Dialect[]
}

/** What a dialect would change, and the button that changes it. */
function dialectPreview(types: readonly SettingListing[], settings: Settings): View {
  const dialect = dialectsIn(types).find((name) => name === addressed('dialect'))
  if (dialect === undefined) return ''
  const close = link('Close', { dialect: null })
  const targets = types.flatMap(({ name, dialects }) => (dialects === null ? [] : [[name, dialects[dialect]] as const]))
  const changes = targets.filter(([name, value]) => !isSame(settings[name], value))
  if (changes.length === 0) return view`<p>The settings are those of ${dialect} already. ${close}</p>`
  const act = async () => {
    change({ settings: await call<Settings>('PATCH', '/settings', Object.fromEntries(targets)) })
    say('settings', `The settings are those of ${dialect} now.`)
  }
  const lines = changes.map(
    ([name, value]) =>
      view`<li><code>${name}</code> ${textOf(settings[name])} → <strong>${textOf(value)}</strong></li>`,
  )
  return view`<div class="panel"><h3>${dialect} changes ${counted(changes.length, 'setting')}</h3><ul class="changes">${lines}</ul>
    ${form({ name: 'settings/dialect', act }, view`<button>Apply ${dialect}</button>${close}`, 'row')}</div>`
}
