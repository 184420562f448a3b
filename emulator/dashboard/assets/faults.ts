import type { FaultTypeListing } from '../../control/fault-control.ts'
import type { RequestDetail } from '../../control/request-detail.ts'
import type { ArmedFault } from '../../faults/fault-book.ts'
import { addressed, type Changes, go, link, linkTo, withoutFilter } from './address.ts'
import { call } from './api.ts'
import { type Child, h, type Props } from './dom.ts'
import { faultIn } from './fault-input.ts'
import { actionWords, leftWords, strikeWords } from './fault-words.ts'
import { field, options, pressButton, pressForm, quietly } from './forms.ts'
import { known } from './view.ts'

const arm = 'faults/arm'

/** What the form begins with is in the page's address: `arm` is the type, `arm_path` and the like fill in its fields. */
const filledWith = (name: string) => addressed(`arm_${name}`)

const withoutArm = (): Changes => {
  const names = [...new URLSearchParams(location.search).keys()].filter((name) => /^arm(_|$)/.test(name))
  return Object.fromEntries(names.map((name) => [name, null]))
}

/** Fills in the form for requests like one. */
export function armFor({ method, endpoint, account_id: account }: RequestDetail): void {
  document.querySelector<HTMLFormElement>('#faults-arm-form')?.reset()
  go(linkTo({ ...withoutArm(), arm_method: method, arm_path: endpoint, arm_account_id: account }, 'fault-form'))
  requestAnimationFrame(() => document.getElementById('faults-arm-type')?.focus({ preventScroll: true }))
}

export function faultsContent(): Child {
  const { faults = [], faultTypes } = known
  return [
    faults.length === 0
      ? h('p', 'No fault is armed: every request gets the service’s own answer.')
      : h('ol.armed', faults.map(armedFault)),
    faults.length > 1 && removal('Remove all', 'remove-all'),
    faultTypes !== undefined && faultForm(faultTypes),
  ]
}

function armedFault(fault: ArmedFault): Child {
  const { id, action, struck } = fault
  const strikes = link(`Struck ${struck}`, { ...withoutFilter, fault: id }, 'requests')
  return h(
    'li',
    { id: `fault-${id}` },
    h(
      'span',
      h('strong', actionWords(action)),
      ` ${strikeWords(fault)}${leftWords(fault)}. `,
      struck === 0 ? 'It has struck nothing yet.' : strikes,
    ),
    removal('Remove', `remove-${id}`, `/${id}`, { 'aria-label': `Remove fault ${id}` }),
  )
}

function removal(text: string, name: `remove-${string}`, path = '', props: Props = {}): Child {
  const act = () => call('DELETE', `/faults${path}`).then(quietly)
  return pressButton({ name: `faults/${name}`, act }, text, { id: `fault-${name}`, ...props })
}

const matchFields = [
  ['method', 'Method (empty: any)', ''],
  ['path', 'Path (empty: every API request)', ''],
  ['account_id', 'Account number (empty: any)', ''],
  ['nth', 'From match number', '1'],
  ['times', 'Times (empty: every time)', '1'],
] as const

function faultForm(types: readonly FaultTypeListing[]): Child {
  const info = types.find(({ type }) => type === addressed('arm')) ?? types[0]
  if (info === undefined) return false
  const onchange = ({ target }: Event) => go(linkTo({ arm: (target as HTMLSelectElement).value }))
  const sees = info.in_process === 'the same' ? '' : ` In the same process: ${info.in_process}.`
  const cost = info.served
    ? 'The request is carried out and charged.'
    : 'The request is not carried out and costs nothing.'
  const names = types.map(({ type }) => type)
  return h(
    'div',
    { id: 'fault-form', class: 'panel' },
    h('h3', 'Arm a fault'),
    pressForm(
      { name: arm, act: armFault },
      field(arm, 'type', 'Type', { tag: 'select', props: { onchange }, children: options(names, info.type) }),
      h('p.soft', `A client sees ${info.over_socket}.${sees} ${cost}`),
      h(
        'div.fields',
        Object.entries(info.parameters).map(([name, means]) => parameter(info, name, means)),
      ),
      h(
        'div.fields',
        matchFields.map(([name, label, usual]) =>
          field(arm, name, label, { props: { value: filledWith(name) ?? usual } }),
        ),
      ),
      h('button', 'Arm'),
    ),
  )
}

function parameter({ required }: FaultTypeListing, name: string, means: string): Child {
  const isRequired = (required as readonly string[]).includes(name)
  const isLong = name === 'body' || name === 'headers'
  return field(arm, name, isRequired ? name : `${name} (optional)`, {
    hint: name === 'headers' ? `${means}; one “name: value” a line` : means,
    tag: isLong ? 'textarea' : 'input',
    props: isLong ? { rows: 2 } : { required: isRequired, value: filledWith(name) },
    children: isLong && filledWith(name),
  })
}

async function armFault(fields: FormData): Promise<Child> {
  const armed = await call<ArmedFault>('POST', '/faults', faultIn(fields))
  go(linkTo(withoutArm()))
  return `Armed: ${actionWords(armed.action)} ${strikeWords(armed)}.`
}
