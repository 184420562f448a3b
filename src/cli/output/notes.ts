import { counted } from '../../protocol/quantities.ts'
import { formatClockTime, formatDuration, printable, shownFile } from '../format/format.ts'
import { type DeletionPlan, deletionText } from './deletion-text.ts'
import { byType, type Worded } from './worded.ts'

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
