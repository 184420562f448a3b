import type { SettingDefinition } from '../../settings/definition.ts'
import { definitions } from '../../settings/definitions.ts'
import { createSettings, type SettingChanges, type Settings } from '../../settings/settings.ts'
import { enteredText, numberOrText, readLimits, textOf } from '../form-fields.ts'
import { type ActionCall, FieldError } from '../section.ts'

export const allSettingNames = Object.keys(definitions) as readonly (keyof Settings)[]

export function settingDefinition(name: keyof Settings): SettingDefinition<unknown> {
  return definitions[name]
}

/** A value as the form writes and reads it. Quotas have a field for each window. */
export function valueText(value: unknown): string {
  return Array.isArray(value)
    ? value.join(', ')
    : typeof value === 'object' && value !== null
      ? JSON.stringify(value)
      : String(value)
}

/** Whether a setting differs from its default, the value of the dialect `spec`. */
export function isChanged(name: keyof Settings, settings: Settings): boolean {
  return !isSame(settings[name], settingDefinition(name).default)
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Quotas have a field for each window. */
export function quotaField(window: string): string {
  return `quotas.${window}`
}

/** The hidden field with the settings that differed from their defaults when the form was shown, as JSON. */
export const shownField = 'shown'

export interface ReadSettings {
  readonly changes: SettingChanges
  /** What is wrong, by field. */
  readonly problems: ReadonlyMap<string, string>
}

/**
 * The settings that a form changes: those that differ from what it showed, so that two people who change different
 * settings do not undo each other's.
 */
export function readSettings(fields: ActionCall['fields']): ReadSettings {
  const before = shownSettings(textOf(fields, shownField))
  const problems = new Map<string, string>()
  const changes: Record<string, unknown> = {}
  for (const name of allSettingNames) {
    try {
      const value = valueIn(fields, name)
      if (value === undefined) continue
      // The store has the words for what is wrong.
      const read = createSettings().update({ [name]: value })[name]
      if (!isSame(read, before[name])) changes[name] = read
    } catch (error) {
      if (error instanceof FieldError) problems.set(error.field, error.message)
      else if (error instanceof TypeError) problems.set(name, error.message)
      else throw error
    }
  }
  return { changes, problems }
}

/** @returns undefined if the form lacks the setting */
function valueIn(fields: ActionCall['fields'], name: keyof Settings): unknown {
  if (name === 'quotas') {
    return fields.has(quotaField('burst')) ? readLimits(fields, quotaField) : undefined
  }
  if (!fields.has(name)) return undefined
  const text = enteredText(fields, name) ?? ''
  const { type } = settingDefinition(name)
  const chosen = type.values?.find((value) => String(value) === text)
  return chosen !== undefined ? chosen : numberOrText(text)
}

/** A form that was tampered with counts as one that showed the defaults. */
function shownSettings(text: string): Settings {
  try {
    return createSettings(JSON.parse(text)).current
  } catch {
    return createSettings().current
  }
}
