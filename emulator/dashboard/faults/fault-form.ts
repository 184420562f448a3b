import { type FaultType, faultTypes } from '../../faults/fault.ts'
import { type FaultField, faultFields } from '../../faults/fault-parser.ts'
import { type Html, html } from '../../site/html/html.ts'
import { field, formTo, keptQuery } from '../form.ts'
import type { View } from '../section.ts'
import { textArea } from '../text-area.ts'
import { faultTypeOf, matchNames, parametersOf } from './fault-fields.ts'

const action = 'faults/arm'

/** The name of the type in the page's address; those of the fields have it as a prefix. */
const typeName = 'arm'
const prefix = `${typeName}_`

/** The names that an armed fault takes out of the page's address. */
export const prefillNames: Readonly<Record<string, null>> = Object.fromEntries(
  [typeName, ...Object.keys(faultFields).map((name) => `${prefix}${name}`)].map((name) => [name, null]),
)

/** Choosing a type shows the form again with its fields: by GET, or at once by the page's script. */
export function faultForm(view: View): Html {
  const { query, refused } = view
  const given = refused?.action === action ? refused.fields.get('type') : query.get(typeName)
  const type = faultTypeOf(typeof given === 'string' ? given : null)
  const info = faultTypes[type]
  const sees = info.in_process === 'the same' ? '' : ` In the same process: ${info.in_process}.`
  const cost = info.served
    ? 'The request is carried out and charged.'
    : 'The request is not carried out and costs nothing.'
  return html`<div id="fault-form" class="panel"><h3>Arm a fault</h3>
<form method="get" action="#fault-form" class="row" data-choose="fault-form">${keptQuery(view, [typeName])}<span class="field"><label for="fault-type">Type</label><select id="fault-type" name="${typeName}">${typeOptions(
    type,
  )}</select></span><button class="quiet">Choose</button></form>
<p>A client sees ${info.over_socket}.${sees} <span class="soft">${cost}</span></p>
${formTo(
  view,
  action,
  html`<div class="fields">${parametersOf(type).map((name) => parameterField(view, type, name))}</div>
<div class="fields">${matchNames.map((name) => matchField(view, name))}${textField(view, 'times', 'Times (empty: every time)', '1')}</div>
<button>Arm</button>`,
  { fields: { type } },
)}</div>`
}

function typeOptions(chosen: FaultType): readonly Html[] {
  return Object.entries(faultTypes).map(
    ([type, { over_socket: sees }]) =>
      html`<option value="${type}"${type === chosen && html` selected`}>${type}: ${sees}`,
  )
}

function parameterField(view: View, type: FaultType, name: FaultField): Html {
  const { required, parameters } = faultTypes[type]
  const isRequired = required.includes(name)
  const label = `${name}: ${parameters[name]}${isRequired ? '' : ' (optional)'}`
  const value = view.query.get(`${prefix}${name}`) ?? ''
  if (name === 'body') return textArea({ view, action, name, label, value })
  if (name === 'headers') return textArea({ view, action, name, label: `${label}; one “name: value” a line`, value })
  return field({ view, action, name, label, value, isRequired })
}

const matchLabels: Readonly<Record<(typeof matchNames)[number], string>> = {
  method: 'Method (empty: any)',
  path: 'Path (empty: every API request)',
  account_id: 'Account number (empty: any)',
  nth: 'From match number',
}

function matchField(view: View, name: (typeof matchNames)[number]): Html {
  return textField(view, name, matchLabels[name], name === 'nth' ? '1' : '')
}

function textField(view: View, name: FaultField, label: string, usual: string): Html {
  return field({ view, action, name, label, value: view.query.get(`${prefix}${name}`) ?? usual })
}
