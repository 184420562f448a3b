import { basename } from 'node:path'
import type { ClientEvent } from '../../index.ts'
import { counted } from '../../protocol/quantities.ts'
import type { Holder } from '../../store/upload-store.ts'
import { reasonInText } from '../../system/system-errors.ts'
import type { UploadNote } from '../../uploads/upload-run.ts'
import { hints } from '../failures/hints.ts'
import { fileNames, formatDuration, printable } from '../format/format.ts'
import type { Warning } from './events.ts'

/** What people are told of contents that are compared, waited for and settled. */
export function uploadNoteText(note: UploadNote): string {
  switch (note.type) {
    case 'all-gone':
      return `The service has none of ${note.count} recorded uploads: is this the account they belong to?`
    case 'asks-again': {
      const ms = formatDuration(note.ms)
      return `The service does not show ${counted(note.count, 'recent upload')}: asking again in ${ms}`
    }
    case 'checks-earlier': {
      const [were, they] = note.files.length > 1 ? ['were', 'they were'] : ['was', 'it was']
      const ended = `${fileNames(note.files)} ${were} being sent when an earlier run ended`
      return `${ended}: checking whether ${they} stored (${formatDuration(note.ms)})`
    }
    case 'runners-tell':
      return `The shared ledger has begun again: waiting for what other runners are sending (${formatDuration(note.ms)})`
    case 'runners-silent':
      return `The shared ledger does not answer: waiting for it for up to ${formatDuration(note.ms)}, since others may send the same files`
    case 'upload-gone':
      return `${printable(note.path)}: its upload ${printable(note.slug)} is gone from the service`
    case 'waits':
      return `${printable(note.path)}: waiting for ${holderText(note.holder)}`
  }
}

function holderText(holder: Holder | undefined): string {
  if (holder === undefined) return 'another runner, which sends the same content'
  const { isOwn, path, pid } = holder
  if (isOwn) return `the link of ${printable(basename(path))}, which has the same content`
  const resumed = process.platform === 'win32' ? '' : `; if it was stopped, kill -CONT ${pid} lets it go on`
  return `process ${pid}, which sends the same content${resumed}`
}

/** What people are told where the quota cannot be shared. */
export function ledgerWarning(event: ClientEvent): Warning | undefined {
  if (event.type === 'ledger-problem') {
    const problem = `cannot use ${event.folder}: ${reasonInText(event.reason)}`
    return { message: `Quota is not shared with other fh processes: ${problem}`, hint: hints.stateFolder }
  }
  if (event.type !== 'ledger-outage') return undefined
  // The client tries again.
  const { reason, hint = hints.withoutLedger } = event
  return { message: `Waiting for the shared ledger: ${reasonInText(reason)}`, hint }
}
