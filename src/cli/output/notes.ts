import { unreachable } from '../failures/cli-error.ts'
import { counted, printable } from './format/format.ts'

/** A remark for people: --quiet and --json leave it out. */
export type Note =
  | { readonly type: 'no-files-found' }
  | { readonly type: 'left-out'; readonly path: string; readonly reason: LeftOutReason }
  | { readonly type: 'given-twice'; readonly files: readonly string[] }
  | { readonly type: 'run-again' }
  | { readonly type: 'uploads-in-flight'; readonly count: number }
  | { readonly type: 'links-copied'; readonly count: number; readonly by: 'program' | 'terminal' }
  | { readonly type: 'pages-not-opened'; readonly opened: number; readonly left: number }
  | { readonly type: 'nothing-to-delete' }
  | { readonly type: 'no-uploads' }
  | { readonly type: 'page-beyond-last'; readonly page: number; readonly lastPage: number }
  | { readonly type: 'more-pages'; readonly page: number; readonly lastPage: number; readonly total: number }
  | { readonly type: 'quota-cleared'; readonly isEmpty: boolean }
  | { readonly type: 'other-profiles'; readonly names: readonly string[] }
  | Outranked
  | { readonly type: 'key-still-set'; readonly source: string }
  | { readonly type: 'thumbnails-limited'; readonly images: boolean; readonly videos: boolean }

/** A stored setting that has no effect. */
export interface Outranked {
  readonly type: 'outranked'
  readonly setting: string
  readonly profile: string
  /** The flag or variable that is used instead. */
  readonly origin: string
}

/** A file that is neither a regular file nor a folder. */
export type SpecialFile = 'pipe' | 'socket' | 'device'

export type LeftOutReason = SpecialFile | `link to ${SpecialFile}` | 'link to folder' | 'visited folder'

export function noteText(note: Note): string {
  switch (note.type) {
    case 'no-files-found':
      return 'No files found'
    case 'left-out':
      return `${printable(note.path)} ${leftOutText(note.reason)}: left out`
    case 'given-twice':
      return `${fileNames(note.files)} given more than once; uploading once`
    case 'run-again':
      return 'Run the same command again to continue'
    case 'uploads-in-flight':
      return `An earlier run left ${counted(note.count, 'upload')} in flight: checking the list of uploads`
    case 'links-copied':
      return note.by === 'program'
        ? `Copied ${counted(note.count, 'link')} to the clipboard`
        : `Sent ${counted(note.count, 'link')} to the terminal's clipboard`
    case 'pages-not-opened':
      return `Opened the first ${note.opened} pages; ${note.left} not opened`
    case 'nothing-to-delete':
      return 'Nothing to delete'
    case 'no-uploads':
      return 'No uploads'
    case 'page-beyond-last':
      return `Page ${note.page} is beyond the last page, ${note.lastPage}`
    case 'more-pages':
      return `Page ${note.page} of ${note.lastPage}, ${counted(note.total, 'upload')} in total; --page ${note.page + 1} or --all shows more`
    case 'quota-cleared':
      return note.isEmpty ? 'Nothing to clear' : 'Cleared the counted usage and learned limits'
    case 'other-profiles':
      return `Other profiles, for --profile NAME: ${note.names.join(', ')}`
    case 'outranked':
      return `${note.origin} overrides the ${note.setting} stored in profile ${note.profile}`
    case 'key-still-set':
      return `${note.source} is still set, and is still used`
    case 'thumbnails-limited':
      return `Thumbnails: ${thumbnailLimits(note).join('; ')}`
    default:
      return unreachable(note)
  }
}

function leftOutText(reason: LeftOutReason): string {
  if (reason === 'visited folder') return 'leads to a folder that is already included'
  return `is a ${reason.replace('link to ', 'link to a ')}${reason === 'link to folder' ? ', which -L follows' : ''}`
}

/** More files than this are counted instead of named. */
const MOST_NAMED = 3

function fileNames(files: readonly string[]): string {
  return files.length > MOST_NAMED ? counted(files.length, 'file') : files.map(printable).join(', ')
}

function thumbnailLimits({ images, videos }: { readonly images: boolean; readonly videos: boolean }) {
  return [
    ...(images ? ['images are not scaled down (run npm install sharp)'] : []),
    ...(videos ? ['videos get a grey picture (install ffmpeg)'] : []),
  ]
}
