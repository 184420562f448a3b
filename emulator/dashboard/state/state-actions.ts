import { isTooDeep } from '../../../src/protocol/json-depth.ts'
import { counted } from '../../../src/protocol/quantities.ts'
import type { HealthInfo } from '../../control/control.ts'
import { html } from '../../site/html/html.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import { SnapshotError } from '../../state/snapshot-blobs.ts'
import { textOf } from '../form-fields.ts'
import { type Action, FieldError } from '../section.ts'

export const restoreSnapshot: Action = async ({ control, fields }) => {
  const file = fields.get('snapshot')
  if (!(file instanceof File) || file.name === '') throw new FieldError('snapshot', 'Choose the file of a snapshot')
  const found = parseSnapshot(await file.text())
  const health = await control.state.restore(found).catch((error: unknown) => {
    throw error instanceof SnapshotError ? wrongFile(error.message) : error
  })
  return { notice: html`The snapshot is restored: ${heldWords(health)}.` }
}

/** Deeper than any snapshot, whose deepest part is the body of a fault. */
const mostLevels = 120

function parseSnapshot(text: string): Snapshot {
  if (isTooDeep(text, mostLevels)) throw wrongFile('Its lists and objects are nested too deep')
  try {
    return JSON.parse(text)
  } catch {
    throw wrongFile('This is not JSON')
  }
}

function wrongFile(reason: string): FieldError {
  return new FieldError('snapshot', `Wrong file: nothing changed. ${reason}`)
}

export const resetEverything: Action = async ({ control, fields }) => {
  if (textOf(fields, 'sure') !== 'yes') throw new FieldError('sure', 'Tick this to reset the emulator')
  const health = await control.reset()
  return { notice: html`Everything is back at the seed: ${heldWords(health)}.` }
}

export function heldWords({ uploads, log, bytes_stored: bytes }: HealthInfo): string {
  return `${counted(uploads, 'upload')} with ${counted(bytes, 'byte')} in files, ${counted(log.kept, 'request')} in the log`
}
