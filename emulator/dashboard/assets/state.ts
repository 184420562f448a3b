import { counted } from '../../../src/protocol/quantities.ts'
import type { HealthInfo } from '../../control/control.ts'
import { sureForm } from './account-forms.ts'
import { CallRefusal, call } from './api.ts'
import { type Child, h } from './dom.ts'
import { environment } from './environment.ts'
import { fieldForm, saveLink } from './forms.ts'
import { FieldProblem } from './problems.ts'
import { isWithoutRequests } from './requests.ts'
import { askConnection, known } from './view.ts'

export function stateContent(): Child {
  const { state, clock } = known
  if (state === undefined) return 'Loading'
  // The name of the file says when, and nothing of what is in it.
  const file = `filehost-emulator-${(clock?.now ?? '').slice(0, 19).replaceAll(':', '-')}.json`
  return [
    h('p', `${heldWords(state)}. `, h('span.soft', `filehost ${state.version}`)),
    h(
      'div.forms',
      h(
        'div',
        h(
          'p',
          'A snapshot has everything: settings, clock, faults, accounts, uploads with their files, log, charges. Of keys and passwords it has hashes.',
        ),
        h('p', saveLink({ section: 'state', href: '/state', file, probe: '/health' }, 'Download snapshot')),
      ),
      fieldForm(
        { name: 'state/restore', field: 'snapshot', act: restoreSnapshot },
        'Restore a snapshot',
        { props: { type: 'file', accept: '.json,application/json', required: true } },
        'Restore',
      ),
      sureForm(
        'state/reset',
        'Everything returns to the seed: uploads, counts, log, faults, settings and other accounts vanish',
        'Reset',
        resetAll,
      ),
    ),
    !isWithoutRequests() && h('details', { id: 'environment' }, h('summary', h('h3', 'Environment')), environment()),
  ]
}

async function restoreSnapshot(fields: FormData): Promise<Child> {
  const file = fields.get('snapshot')
  if (!(file instanceof File) || file.name === '') throw new FieldProblem('snapshot', 'Choose the file of a snapshot')
  const health = await call<HealthInfo>('PUT', '/state', await file.text()).catch((error: unknown) => {
    const isWrong = error instanceof CallRefusal && [400, 413, 422].includes(error.status)
    throw isWrong ? new FieldProblem('snapshot', `Wrong file: nothing changed. ${error.message}`) : error
  })
  askConnection()
  return `The snapshot is restored: ${heldWords(health)}.`
}

async function resetAll(): Promise<Child> {
  const health = await call<HealthInfo>('POST', '/reset')
  askConnection()
  return `Everything is back at the seed: ${heldWords(health)}.`
}

function heldWords({ uploads, log, ...held }: Pick<HealthInfo, 'uploads' | 'log' | 'bytes_stored'>): string {
  return `${counted(uploads, 'upload')} with ${counted(held.bytes_stored, 'byte')} in files, ${counted(log.kept, 'request')} in the log`
}
