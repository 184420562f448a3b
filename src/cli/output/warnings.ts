import { reasonInText } from '../../system/system-errors.ts'
import { unreachable } from '../failures/cli-error.ts'
import { counted } from './format/format.ts'

/** A problem that does not stop the command; printed even with --quiet and --json. */
export type Warning =
  /** Other processes do not see what this run uses. */
  | { readonly type: 'ledger-unusable'; readonly folder: string; readonly reason: string }
  /** The forecast takes the quota for unused, which it may not be. */
  | { readonly type: 'ledger-unreadable'; readonly folder: string; readonly reason: string }
  | { readonly type: 'journal-unusable'; readonly path: string; readonly reason: string }
  /** `saved` lines could be read; the damaged file is kept as `aside`. */
  | { readonly type: 'journal-damaged'; readonly path: string; readonly aside: string; readonly saved: number }
  | { readonly type: 'page-not-opened'; readonly address: string; readonly reason: string }
  | { readonly type: 'links-not-copied'; readonly problem: CopyProblem }
  | { readonly type: 'answer-refused'; readonly reason: string }
  /** A client waits for quota on the emulator's virtual clock, which stands still. Times are ISO 8601. */
  | { readonly type: 'clock-stands'; readonly now: string; readonly until: string; readonly controlUrl: string }
  /** Standard output is closed, and the upload continues. */
  | { readonly type: 'output-closed'; readonly filesLeft: number }

/** Why a text was not copied: the error of a clipboard program, or none was found, or the terminal has a limit. */
export type CopyProblem =
  | { readonly type: 'program-failed'; readonly reason: string }
  | { readonly type: 'no-clipboard' }
  | { readonly type: 'too-long' }

export interface WarningText {
  readonly message: string
  readonly hint: string
}

export function warningText(warning: Warning): WarningText {
  switch (warning.type) {
    case 'ledger-unusable':
      return {
        message: `Quota is not shared with other fh processes: cannot use ${warning.folder}: ${reasonInText(warning.reason)}`,
        hint: 'Name a folder that can be written in FH_STATE_DIR',
      }
    case 'ledger-unreadable':
      return {
        message: `Earlier runs are not counted: cannot read ${warning.folder}: ${reasonInText(warning.reason)}`,
        hint: 'Make it readable, or name another folder in FH_STATE_DIR',
      }
    case 'journal-unusable':
      return {
        message: `The journal ${warning.path} cannot be used: ${warning.reason}`,
        hint: 'Continuing without it: if this run is interrupted, the same command will upload everything again',
      }
    case 'journal-damaged':
      return {
        message: `The journal ${warning.path} is damaged; it is kept as ${warning.aside}`,
        hint: `Recovered ${counted(warning.saved, 'line')}; files recorded in the rest will be uploaded again`,
      }
    case 'page-not-opened':
      return { message: `${warning.address} was not opened: ${warning.reason}`, hint: 'Open it yourself' }
    case 'links-not-copied':
      return copyProblemText(warning.problem)
    case 'answer-refused':
      return { message: warning.reason, hint: 'Type it again, or press Ctrl-C to stop' }
    case 'clock-stands':
      return {
        message: `The virtual clock stands still at ${warning.now}, and a client may wait for quota until ${warning.until}`,
        hint: `advance it (POST ${warning.controlUrl}/clock), or run with --clock system`,
      }
    case 'output-closed':
      return {
        message: `Standard output is closed; the upload continues, ${counted(warning.filesLeft, 'file')} left`,
        hint: 'Ctrl-C stops it',
      }
    default:
      return unreachable(warning)
  }
}

function copyProblemText(problem: CopyProblem): WarningText {
  const message = (reason: string) => `The links were not copied: ${reason}`
  if (problem.type === 'too-long') {
    return { message: message('they are too long for the terminal'), hint: 'Copy them from the output' }
  }
  const reason = problem.type === 'no-clipboard' ? 'no clipboard found' : problem.reason
  return { message: message(reason), hint: 'Install wl-clipboard, xclip or xsel, or run fh in a terminal' }
}
