import type { FaultTypeListing } from '../../control/fault-control.ts'
import type { RequestDetail } from '../../control/request-detail.ts'
import type { ArmedFault } from '../../faults/fault-book.ts'
import { addressed, type Changes, go, link, linkTo, withoutFilter } from './address.ts'
import { call } from './emulator.ts'
import { type FormField, field, fields, form, pressButton } from './forms.ts'
import { faultIn } from './input.ts'
import { shown } from './shown.ts'
import { type PageState, say } from './store.ts'
import { keyed, type View, view } from './view.ts'
import { strikeWords } from './why.ts'

const arm = 'faults/arm'

/** What is typed for a type of fault, by the name of the parameter: another type may have it too. */
const drafts = new Map<string, string>()

/** What the form begins with is in the page's address: `arm` is the type, `arm_path` and the like fill in its fields. */
function withoutArm(): Changes {
  drafts.clear()
  const names = [...new URLSearchParams(location.search).keys()].filter((name) => /^arm(_|$)/.test(name))
  return Object.fromEntries(names.map((name) => [name, null]))
}

/** Fills in the form for requests like one. */
export function armFor({ method, endpoint, account_id: account }: RequestDetail): void {
  document.querySelector<HTMLFormElement>('#faults-arm-form')?.reset()
  go(linkTo({ ...withoutArm(), arm_method: method, arm_path: endpoint, arm_account_id: account }, 'fault-form'))
  requestAnimationFrame(() => document.getElementById('faults-arm-type')?.focus({ preventScroll: true }))
}

export function faultsView({ faults = [], faultTypes = [] }: PageState): View {
  const info = faultTypes.find(({ type }) => type === addressed('arm')) ?? faultTypes[0]
  return view`${faults.length === 0 && view`<p>No fault is armed: every request gets the service’s own answer.</p>`}
    <div class="rows">${keyed(faults, 'id', armedFault)}</div>
    ${faults.length > 1 && pressButton('faults/remove-all', 'Remove all', () => call('DELETE', '/faults'))}
    ${info !== undefined && faultForm(info, faultTypes)}`
}

function armedFault(fault: ArmedFault): View {
  const {
    id,
    struck,
    action: { type, ...parameters },
  } = fault
  // A status has the name of its fault.
  const words = Object.entries(parameters).map(([name, value]) => (name === type ? '' : `${name} `) + shown(value, 60))
  const strikes = link(`Struck ${struck}`, { ...withoutFilter, fault: id }, { anchor: 'requests' })
  const remove = () => call('DELETE', `/faults/${id}`)
  return view`<div class="row"><span class="most"><strong>${type}</strong> ${words.join(', ')}
    <span class="soft">${strikeWords(fault)}</span> ${struck > 0 && strikes}</span>
    ${pressButton(`faults/remove-${id}`, 'Remove', remove, `Remove fault ${id}`)}</div>`
}

const matchFields = [
  ['method', 'Method (empty: any)', ''],
  ['path', 'Path (empty: every API request)', ''],
  ['account_id', 'Account number (empty: any)', ''],
  ['nth', 'From match number', '1'],
  ['times', 'Times (empty: every time)', '1'],
] as const

function faultForm(info: FaultTypeListing, types: readonly FaultTypeListing[]): View {
  const { type, parameters, in_process: inProcess } = info
  const oninput = ({ target }: Event) => go(linkTo({ arm: (target as HTMLSelectElement).value }))
  const sees = inProcess === 'the same' ? '' : ` In the same process: ${inProcess}.`
  const cost = `The request is ${info.served ? 'carried out and charged' : 'not carried out and costs nothing'}.`
  const values = types.map((one) => one.type)
  const match = matchFields.map(
    ([name, label, usual]): FormField => ({ name, label, value: addressed(`arm_${name}`) ?? usual }),
  )
  const own = Object.entries(parameters).map(([name, means]) => parameter(info, name, means))
  const content = view`${field(arm, { name: 'type', label: 'Type', value: type, values, oninput })}
    <p class="soft">A client sees ${info.over_socket}.${sees} ${cost}</p>
    <div class="fields">${fields(arm, own)}</div><div class="fields">${fields(arm, match)}</div><button>Arm</button>`
  return view`<div id="fault-form" class="panel"><h3>Arm a fault</h3>${form(arm, armFault, content)}</div>`
}

function parameter({ required }: FaultTypeListing, name: string, means: string): FormField {
  const isRequired = (required as readonly string[]).includes(name)
  return {
    name,
    label: isRequired ? name : `${name} (optional)`,
    value: drafts.get(name) ?? addressed(`arm_${name}`),
    hint: name === 'headers' ? `${means}; one “name: value” a line` : means,
    rows: name === 'body' || name === 'headers' ? 2 : undefined,
    required: isRequired,
    oninput: ({ target }) => drafts.set(name, (target as HTMLInputElement).value),
  }
}

async function armFault(fields: FormData): Promise<void> {
  const { id, action } = await call<ArmedFault>('POST', '/faults', faultIn(fields))
  go(linkTo(withoutArm()))
  say('faults', `Armed: fault ${id}, ${action.type}.`)
}
