import { counted } from '../../../src/protocol/quantities.ts'
import type { HealthInfo } from '../../control/control.ts'
import { saveLink } from './buttons.ts'
import { call } from './emulator.ts'
import { fieldForm, sureForm } from './forms.ts'
import { CallRefusal } from './input.ts'
import { type PageState, say } from './store.ts'
import { type View, view } from './view.ts'

export function stateView({ state, clock }: PageState): View {
  if (state === undefined) return 'Loading'
  // The name of the file says when, and nothing of what is in it.
  const file = `filehost-emulator-${(clock?.now ?? '').slice(0, 19).replaceAll(':', '-')}.json`
  const snapshot = { name: 'snapshot', label: 'Restore a snapshot', type: 'file', required: true } as const
  const consequence = 'Everything returns to the seed: uploads, counts, log, faults, settings and other accounts vanish'
  return view`<p>${heldWords(state)}. <span class="soft">filehost ${state.version}</span></p>
    <div class="forms">
      <div class="stack"><p>A snapshot has everything: settings, clock, faults, accounts, uploads with their files, log,
        charges. Of keys and passwords it has hashes.</p>
        <p>${saveLink('state', 'Download snapshot', '/state', file)}</p></div>
      ${fieldForm('state/restore', [snapshot], 'Restore', restoreSnapshot)}
      ${sureForm('state/reset', consequence, 'Reset', resetAll)}
    </div>`
}

async function restoreSnapshot(fields: FormData): Promise<void> {
  const text = await (fields.get('snapshot') as File).text()
  const health = await call<HealthInfo>('PUT', '/state', text).catch((error: CallRefusal) => {
    const isWrong = [400, 413, 422].includes(error.status)
    throw isWrong ? new CallRefusal(`Wrong file: nothing changed. ${error.message}`, 422, 'snapshot') : error
  })
  say('state', `The snapshot is restored: ${heldWords(health)}.`)
}

async function resetAll(): Promise<void> {
  const health = await call<HealthInfo>('POST', '/reset')
  say('state', `Everything is back at the seed: ${heldWords(health)}.`)
}

function heldWords({ uploads, log, ...held }: Pick<HealthInfo, 'uploads' | 'log' | 'bytes_stored'>): string {
  return `${counted(uploads, 'upload')} with ${counted(held.bytes_stored, 'byte')} in files, ${counted(log.kept, 'request')} in the log`
}
