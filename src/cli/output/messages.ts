import type { LedgerOutage } from '../../ledger.ts'
import { counted } from '../../protocol/quantities.ts'
import { reasonInText } from '../../system/system-errors.ts'
import { formatClockTime, formatDuration, printable, shownFile } from '../format/format.ts'
import { type DeletionPlan, deletionText } from './plan-text.ts'

type Texts = Readonly<Record<string, (data: never) => unknown>>

type DataOf<Text> = Text extends (data: infer Data) => unknown
  ? unknown extends Data
    ? object
    : Readonly<Data>
  : never

/** What a table of texts has words for: data by its type, a key of the table. */
export type Worded<Table extends Texts> = {
  [Type in keyof Table]: { readonly type: Type } & DataOf<Table[Type]>
}[keyof Table]

/** What a table makes of data of one of its types: the words for it, or what is done with it. */
export function byType<Table extends Texts>(table: Table, data: Worded<Table>): ReturnType<Table[keyof Table]> {
  const make = table[data.type] as (data: Worded<Table>) => ReturnType<Table[keyof Table]>
  return make(data)
}

/** A file that is neither a regular file nor a folder. */
export type SpecialFile = 'pipe' | 'socket' | 'device'

export type LeftOutReason = SpecialFile | `link to ${SpecialFile}` | 'link to folder' | 'visited folder'

const worksAtIt = {
  uploads: 'has been uploading the same content',
  deletes: 'has been deleting the same content',
  downloads: 'has been downloading to the same file',
} as const

export interface WaitForProcess {
  readonly path: string
  readonly work: keyof typeof worksAtIt
  /** `since`: epoch milliseconds. */
  readonly process: { readonly pid: number; readonly since: number; readonly isStopped: boolean }
  readonly now: number
}

/** A remark for people: --quiet and --json leave it out. */
export type Note = Worded<typeof noteTexts>

const noteTexts = {
  'no-files-found': () => 'No files found',
  'left-out': ({ path, reason }: { path: string; reason: LeftOutReason }) =>
    `${printable(path)} ${leftOutText(reason)}: left out`,
  /** Files of folders. */
  'wrong-types': ({ files }: { files: readonly string[] }) =>
    `${fileNames(files)} ${files.length > 1 ? 'are' : 'is'} of no accepted type: left out`,
  'excludes-nothing': ({ glob }: { glob: string }) => `--exclude '${printable(glob)}' matches nothing`,
  'given-twice': ({ files }: { files: readonly string[] }) =>
    `${fileNames(files)} given more than once; uploading once`,
  'runners-unknown': () =>
    'What other runners upload is not known without the ledger: the list is read before each upload, for two units',
  'fleet-back': () => 'The shared ledger can be reached again: all runners are counted',
  'run-again': () => 'Run the same command again to continue',
  /** The list does not show them yet, but may lag. */
  'checks-earlier': ({ files, ms }: { files: readonly string[]; ms: number }) =>
    `${fileNames(files)} ${files.length > 1 ? 'were' : 'was'} being sent when an earlier run ended: ` +
    `checking whether ${files.length > 1 ? 'they were' : 'it was'} stored (${formatDuration(ms)})`,
  /** A service may show an upload a moment after it has stored it. */
  'asks-again': ({ count, ms }: { count: number; ms: number }) =>
    `The service does not show ${counted(count, 'recent upload')}: asking again in ${formatDuration(ms)}`,
  /** Redis has lost something. */
  'runners-tell': ({ ms }: { ms: number }) =>
    `The shared ledger has begun again: waiting for what other runners are sending (${formatDuration(ms)})`,
  /** Redis does not answer. */
  'runners-silent': ({ ms }: { ms: number }) =>
    `The shared ledger does not answer: waiting for it for up to ${formatDuration(ms)}, since others may send the same files`,
  /** A file of this run with the same content has begun first; of a runner elsewhere the file is not known. */
  'waits-for-other': ({ path, other }: { path: string; other: string | undefined }) =>
    `${printable(path)}: waiting for ${other === undefined ? 'another runner, which sends the same content' : `the link of ${printable(other)}, which has the same content`}`,
  /** Another process sends the same content, deletes it, or downloads it to the same file. */
  'waits-for-process': ({ path, work, process, now }: WaitForProcess) =>
    `${printable(path)}: waiting for process ${process.pid}, which ${process.isStopped ? 'is stopped and ' : ''}` +
    `${worksAtIt[work]} since ${formatClockTime(process.since, now)}; ` +
    `${process.isStopped ? `kill -CONT ${process.pid} lets it go on, ` : ''}kill ${process.pid} ends it`,
  'waits-for-download': ({ path }: { path: string }) =>
    `${printable(path)}: waiting for another run that downloads to the same file`,
  'reads-terminal': () => 'Reading from the terminal; Ctrl-D on a line of its own ends the input',
  'waits-for-writer': ({ path }: { path: string }) =>
    `${printable(path)}: waiting for a program to write into this pipe`,
  /** The service no longer has an upload that the record lists. */
  'upload-gone': ({ path, slug }: { path: string; slug: string }) =>
    `${printable(path)}: its upload ${printable(slug)} is gone from the service`,
  /** A file on a site, which could not be compared before it was sent. */
  'there-twice': ({ path, slug, other }: { path: string; slug: string; other: string }) =>
    `${printable(path)} may be there twice now: ${printable(slug)} has the same content as ${printable(other)}`,
  'all-gone': ({ count }: { count: number }) =>
    `The service has none of ${count} recorded uploads: is this the account they belong to?`,
  'links-copied': ({ count, by }: { count: number; by: 'program' | 'terminal' }) =>
    by === 'program'
      ? `Copied ${counted(count, 'link')} to the clipboard`
      : `Sent ${counted(count, 'link')} to the terminal's clipboard`,
  'pages-not-opened': ({ opened, left }: { opened: number; left: number }) =>
    `Opened the first ${opened} pages; ${left} not opened`,
  'deletions-planned': ({ plan, now }: { plan: DeletionPlan; now: number }) => deletionText(plan, now),
  'nothing-named': ({ verb }: { verb: 'delete' | 'download' }) => `Nothing to ${verb}`,
  'no-uploads': () => 'No uploads',
  'no-match': () => 'No uploads match',
  undated: ({ count }: { count: number }) =>
    `Left out, because the time in created_at cannot be read: ${counted(count, 'upload')}`,
  'page-beyond-last': ({ page, lastPage }: { page: number; lastPage: number }) =>
    `Page ${page} is beyond the last page, ${lastPage}`,
  'more-pages': ({ page, lastPage, total }: { page: number; lastPage: number; total: number }) =>
    `Page ${page} of ${lastPage}, ${counted(total, 'upload')} in total; --page ${page + 1} or --all shows more`,
  'quota-cleared': ({ isEmpty, isInFlight }: { isEmpty: boolean; isInFlight: boolean }) => {
    if (isEmpty) return 'Nothing to clear'
    return `Cleared the counted usage and learned limits${isInFlight ? '; requests in flight still count' : ''}`
  },
  'fleet-unlearned': () => 'Cleared the learned limits of all runners; what they have used still counts',
  'other-profiles': ({ names }: { names: readonly string[] }) =>
    `Other profiles, for --profile NAME: ${names.join(', ')}`,
  'login-replaces': ({ name, address }: { name: string; address: string }) =>
    `Profile ${name} has a key for ${printable(address)}; a new login replaces it`,
  'login-adds': ({ name, place }: { name: string; place: string }) =>
    `Logging in to profile ${name}, named by ${place}`,
  'after-login': ({ name, flag }: { name: string; flag: string }) =>
    flag === ''
      ? 'Next: fh upload photo.jpg'
      : `Next: fh upload${flag} photo.jpg, or fh config use ${name} to make it the default`,
  'no-profiles': () => 'No profile is stored yet; fh login adds one',
  'default-not-stored': ({ name }: { name: string }) =>
    `Without --profile, commands use profile ${name}, which is not stored: fh login adds it, fh config use NAME chooses another`,
  /** Another profile than the default is used. */
  'default-outranked': ({ place, name }: { place: string; name: string }) =>
    `${place} is set, so commands use profile ${name} until it is unset`,
  /** A stored setting that has no effect; `origin` is the flag or variable that is used instead. */
  outranked: ({ setting, profile, origin }: { setting: string; profile: string; origin: string }) =>
    `${origin} overrides the ${setting} stored in profile ${profile}`,
  'record-stays': () => 'The record of its uploads stays; after another login, fh logout --forget forgets it too',
  'forgets-later': ({ pid, since, now }: { pid: number; since: number; now: number }) =>
    `Process ${pid} has been uploading to the account since ${formatClockTime(since, now)}: what it records is forgotten when it ends`,
  'key-still-set': ({ source }: { source: string }) => `${source} is still set, and is still used`,
  'thumbnails-limited': ({ images, videos }: { images: string | undefined; videos: string | undefined }) => {
    const limits = [
      ...(images === undefined ? [] : [`images are not scaled down (${images})`]),
      ...(videos === undefined ? [] : [`videos get a grey picture (${videos})`]),
    ]
    return `Thumbnails: ${limits.join('; ')}`
  },
}

export const noteText = (note: Note) => byType(noteTexts, note)

function leftOutText(reason: LeftOutReason): string {
  if (reason === 'visited folder') return 'leads to a folder that is already included'
  return `is a ${reason.replace('link to ', 'link to a ')}${reason === 'link to folder' ? ', which -L follows' : ''}`
}

/** More files than this are counted instead of named. */
const MOST_NAMED = 3

function fileNames(files: readonly string[]): string {
  return files.length > MOST_NAMED
    ? counted(files.length, 'file')
    : files.map((file) => printable(shownFile(file))).join(', ')
}

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
