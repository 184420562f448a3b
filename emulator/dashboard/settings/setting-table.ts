import { windowNames } from '../../../src/protocol/rate-limits.ts'
import type { Settings } from '../../settings/settings.ts'
import { type Html, html } from '../../site/html/html.ts'
import { entered, fieldProblem, problemText, saysWrong } from '../form.ts'
import type { View } from '../section.ts'
import { isChanged, quotaField, settingDefinition, valueText } from './setting-form.ts'

export const saveAction = 'settings/save'

/** A row for each setting: what it decides, its value to change, its default. Without the end tags that HTML can spare. */
export function settingTable(view: View, names: readonly (keyof Settings)[]): Html {
  const settings = view.control.settings.get()
  return html`<table class="settings"><thead><tr><th scope="col">Setting<th scope="col">Value<th scope="col">Default<tbody>
${names.map((name) => row(view, name, settings))}</table>`
}

function row(view: View, name: keyof Settings, settings: Settings): Html {
  const { default: usual, description } = settingDefinition(name)
  const values = name === 'quotas' ? quotaInputs(view, settings) : control(view, name, valueText(settings[name]))
  const heading = name === 'quotas' ? html`<code>${name}</code>` : html`<label for="s-${name}">${name}</label>`
  return html`<tr><th scope="row">${heading}${isChanged(name, settings) && html` <em>changed</em>`}<p>${withCode(
    description,
  )}<td>${values}<td>${name === 'quotas' ? quotaText(usual as Settings['quotas']) : valueText(usual)}
`
}

function control(view: View, name: keyof Settings, usual: string): Html {
  const { type } = settingDefinition(name)
  const value = entered(view, saveAction, name, usual)
  const problem = fieldProblem(view, saveAction, name)
  if (type.values === undefined)
    return html`${input(`s-${name}`, name, value, problem)}${problemText(`s-${name}`, problem)}`
  const options = type.values.map(String)
  return html`<select id="s-${name}" name="${name}"${saysWrong(`s-${name}`, problem)}>${options.map(
    (option) => html`<option${option === value && html` selected`}>${option}`,
  )}</select>${problemText(`s-${name}`, problem)}`
}

function quotaInputs(view: View, { quotas }: Settings): Html {
  return html`<div class="quotas">${windowNames.map((window) => {
    const name = quotaField(window)
    const id = `s-quotas-${window}`
    const problem = fieldProblem(view, saveAction, name)
    const value = entered(view, saveAction, name, `${quotas[window] ?? ''}`)
    return html`<span class="field"><label for="${id}">${window}</label>${input(id, name, value, problem)}${problemText(id, problem)}</span>`
  })}</div>`
}

function input(id: string, name: string, value: string, problem: string | undefined): Html {
  return html`<input id="${id}" name="${name}" value="${value}" autocomplete="off"${saysWrong(id, problem)}>`
}

function quotaText(quotas: Settings['quotas']): string {
  return windowNames.map((window) => `${window} ${quotas[window] ?? 'unlimited'}`).join(', ')
}

/** Words between backquotes are code. */
function withCode(text: string): readonly Html[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}
