import type { LedgerOutage } from '../../ledger.ts'
import { counted } from '../../protocol/quantities.ts'
import { reasonInText } from '../../system/system-errors.ts'
import { byType, type Worded } from './worded.ts'

/** Why a text was not copied: the error of a clipboard program, or none was found, or the terminal has a limit. */
export type CopyProblem =
  | { readonly type: 'program-failed'; readonly reason: string }
  | { readonly type: 'no-clipboard' }
  | { readonly type: 'too-long' }

/** A problem that does not stop the command; printed even with --quiet and --json. */
export type Warning = Worded<typeof warningTexts>

export interface WarningText {
  readonly message: string
  readonly hint: string
}

const warningTexts = {
  'ledger-unusable': ({ folder, reason }: { folder: string; reason: string }) => ({
    message: `Quota is not shared with other fh processes: cannot use ${folder}: ${reasonInText(reason)}`,
    hint: 'Name a folder that can be written in FH_STATE_DIR',
  }),
  'ledger-unreadable': ({ folder, reason }: { folder: string; reason: string }) => ({
    message: `Earlier runs are not counted: cannot read ${folder}: ${reasonInText(reason)}`,
    hint: 'Make it readable, or name another folder in FH_STATE_DIR',
  }),
  /** From now on; the client tries again. */
  'fleet-unreachable': ({ reason, hint }: LedgerOutage) => ({
    message: `This machine counts on its own for now: ${reasonInText(reason)}`,
    hint: hint ?? 'Until it can be reached, requests wait for a share of the quota',
  }),
  'fleet-unread': ({ reason, hint }: LedgerOutage) => ({
    message: `Runners on other machines are not counted: ${reasonInText(reason)}`,
    hint: hint ?? 'FH_LEDGER, or ledger in the profile, names the Redis server',
  }),
  'journal-unusable': ({ path, reason }: { path: string; reason: string }) => ({
    message: `The journal ${path} cannot be used: ${reason}`,
    hint: 'Continuing without it: the uploads of this run will not be remembered',
  }),
  /** `saved` lines could be read; the damaged file is kept as `aside`. */
  'journal-damaged': ({ path, aside, saved }: { path: string; aside: string; saved: number }) => ({
    message: `The journal ${path} is damaged; it is kept as ${aside}`,
    hint: `Recovered ${counted(saved, 'line')}; files recorded in the rest will be uploaded again`,
  }),
  'record-unusable': ({ path, reason }: { path: string; reason: string }) => ({
    message: `The record of uploads ${path} is left alone: ${reason}`,
    hint: 'Continuing without it: files that it lists may be uploaded again',
  }),
  'list-shifted': () => ({
    message: 'Uploads that match may be missing: others were deleted all the time while the list was read',
    hint: 'Run the same command again once nothing else deletes',
  }),
  'includes-nothing': ({ glob, hidden }: { glob: string; hidden: boolean }) => ({
    message: `--include '${glob}' matches no file`,
    hint: `Capitals count, as in '*.{jpg,JPG}'${hidden || !namesHidden(glob) ? '' : '; hidden files need --hidden'}`,
  }),
  /** Of folders; a kind for each, in the singular. */
  'media-left-out': ({ kinds }: { kinds: readonly string[] }) => ({
    message: `${kindCounts(kinds)} left out: the service does not take ${kinds.length > 1 ? 'them' : 'it'}`,
    hint: `Convert ${kinds.length > 1 ? 'them' : 'it'}, or let the service decide with --any-type`,
  }),
  'page-not-opened': ({ address, reason }: { address: string; reason: string }) => ({
    message: `${address} was not opened: ${reason}`,
    hint: 'Open it yourself',
  }),
  'links-not-copied': ({ problem }: { problem: CopyProblem }) => copyProblemText(problem),
  'answer-refused': ({ reason, hint }: { reason: string; hint: string }) => ({ message: reason, hint }),
  /** A client waits for quota while the emulator's clock stands still. Times are ISO 8601. */
  'clock-stands': ({ now, until, controlUrl }: { now: string; until: string | undefined; controlUrl: string }) => ({
    message: `The emulator's clock stands still at ${now}, and a client may wait for quota until ${until ?? 'it moves'}`,
    hint: `advance it (POST ${controlUrl}/clock), or run with --clock system`,
  }),
  /** Of the first account, where other machines can reach the emulator. */
  'password-generated': ({ url, email, password }: { url: string; email: string; password: string }) => ({
    message: `Other machines can reach the website, so the password of ${email} is generated: ${password}`,
    hint: `It is told only now; sign in at ${url}`,
  }),
  'output-closed': ({ filesLeft }: { filesLeft: number }) => ({
    message: `Standard output is closed; the upload continues, ${counted(filesLeft, 'file')} left`,
    hint: 'Ctrl-C stops it',
  }),
}

export const warningText = (warning: Warning): WarningText => byType(warningTexts, warning)

/** Whether a glob names a file or folder that begins with a dot. */
function namesHidden(glob: string): boolean {
  return /(^|\/)\.[^./]/.test(glob)
}

/** `60 HEIC photos, 1 MKV video`. */
function kindCounts(kinds: readonly string[]): string {
  const count = (kind: string) => kinds.filter((other) => other === kind).length
  return [...new Set(kinds)].map((kind) => counted(count(kind), kind)).join(', ')
}

function copyProblemText(problem: CopyProblem): WarningText {
  const message = (reason: string) => `The links were not copied: ${reason}`
  if (problem.type === 'too-long') {
    return { message: message('they are too long for the terminal'), hint: 'Copy them from the output' }
  }
  const reason = problem.type === 'no-clipboard' ? 'no clipboard found' : problem.reason
  return { message: message(reason), hint: 'Install wl-clipboard, xclip or xsel, or run fh in a terminal' }
}
