import { basename } from 'node:path'
import type { ClientEvent } from '../../index.ts'
import type { LedgerOutage } from '../../pacing/ledger.ts'
import { counted } from '../../protocol/quantities.ts'
import type { Holder } from '../../store/upload-store.ts'
import { reasonInText } from '../../system/system-errors.ts'
import type { UploadNote } from '../../uploads/upload-run.ts'
import { hints } from '../failures/hints.ts'
import { fileNames, formatDuration, printable } from '../format/format.ts'
import type { Warning } from './events.ts'

/** What people are told besides results and failures. What the next line says anyway needs no note. */
export const notes = {
  // What was found.
  none: (what: string) => `No ${what} found`,
  noneByName: 'No uploads found by that name: fh knows titles, and the names of files that this machine uploaded',
  pages: (page: number, last: number, total: number) =>
    `Page ${page} of ${last}, ${counted(total, 'upload')} in total; --page ${Math.min(page + 1, last)} or --all shows more`,
  leftOut: (what: string, count: number) => `${what} left out: the service does not take ${count > 1 ? 'them' : 'it'}`,
  linkedFolder: (path: string) => `${printable(path)} is a link to a folder, which -L follows: left out`,
  uploadGone: (path: string, slug: string) =>
    `${printable(path)}: its upload ${printable(slug)} is gone from the service`,

  // Settings and accounts. `place` is a variable, a flag or a setting.
  inUse: (place: string, other: string) => `${place} is set, and used instead of ${other}; unset it to change that`,
  next: (flag: string) => `Next: fh upload${flag} photo.jpg`,
  forgetAgain: 'What is still being sent is recorded once it is stored: run fh logout --forget again then',

  // What a run waits for, and how it goes on.
  waitsFor: (path: string, whom: string) => `${printable(path)}: waiting for ${whom}`,
  checksEarlier: (files: readonly string[], ms: number) => {
    const [were, they] = files.length > 1 ? ['were', 'they were'] : ['was', 'it was']
    const ended = `${fileNames(files)} ${were} being sent when an earlier run ended`
    return `${ended}: checking whether ${they} stored (${formatDuration(ms)})`
  },
  ledgerSilent: (reason: string) => `Waiting for the shared ledger: ${reason}`,
  ledgerBegun: (ms: number) =>
    `The shared ledger has begun again: waiting for what other runners are sending (${formatDuration(ms)})`,
  stopping: (inFlight: number, ms: number) =>
    `Stopping: ${inFlight} in flight ${inFlight === 1 ? 'has' : 'have'} ${formatDuration(ms)} to finish; press Ctrl-C again to abort`,
  readerGone: (files: number) =>
    `Standard output is closed; the upload continues, ${counted(files, 'file')} left; Ctrl-C stops it`,
  again: 'Run the same command again to continue',
  copied: (count: number) => `Copied ${counted(count, 'link')} to the clipboard`,
  notDone: (what: string, done: string, problem: string) => `${what} not ${done}: ${problem}`,

  // The state of this machine, and other runs.
  uncounted: (who: string, reason: string) => `${who} are not counted: ${reason}`,
  unremembered: (path: string, reason: string) =>
    `The uploads of this run will not be remembered: ${path} cannot be used: ${reason}`,
  damaged: (path: string, aside: string, saved: number) =>
    `The record of uploads ${path} is damaged, and kept as ${aside}: recovered ${counted(saved, 'upload')}, files recorded in the rest will be uploaded again`,
  networkDisk: (path: string) =>
    `The state folder ${path} is on a network disk, where nothing tells whether another run has ended`,

  // The emulator.
  standstill: (now: string, until: string, control: string) =>
    `The emulator's clock stands still at ${now}, and a client may wait for quota until ${until}; advance it (POST ${control}/clock), or run with --clock system`,
  password: (email: string, password: string) =>
    `Other machines can reach the website, so the password of ${email} is generated, and told only now: ${password}`,
} as const

export function noteText(note: UploadNote | string): string {
  if (typeof note === 'string') return note
  if (note.type === 'checks-earlier') return notes.checksEarlier(note.files, note.ms)
  if (note.type === 'upload-gone') return notes.uploadGone(note.path, note.slug)
  return notes.waitsFor(note.path, holderText(note.holder))
}

function holderText(holder: Holder | undefined): string {
  if (holder === undefined) return 'another runner, which sends the same content'
  const { isOwn, path, pid } = holder
  if (isOwn) return `the link of ${printable(basename(path))}, which has the same content`
  const resumed = process.platform === 'win32' ? '' : `; if it was stopped, kill -CONT ${pid} lets it go on`
  return `process ${pid}, which sends the same content${resumed}`
}

export function ledgerWarning(event: ClientEvent): Warning | undefined {
  if (event.type === 'ledger-problem') {
    const reason = `cannot use ${event.folder}: ${reasonInText(event.reason)}`
    return { message: notes.uncounted('Other processes of fh', reason), hint: hints.stateFolder }
  }
  return event.type === 'ledger-outage' ? silentLedger(event) : undefined
}

export function silentLedger({ reason, hint = hints.withoutLedger }: LedgerOutage): Warning {
  return { message: notes.ledgerSilent(reasonInText(reason)), hint }
}

export function unreadLedger({ folder, reason }: { readonly folder: string; readonly reason: string }): Warning {
  const problem = `cannot read ${folder}: ${reasonInText(reason)}`
  return { message: notes.uncounted('Earlier runs', problem), hint: hints.stateFolder }
}
