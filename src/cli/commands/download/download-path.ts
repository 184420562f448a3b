import { lstat, mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DownloadError, type Upload } from '../../../index.ts'
import { isThere } from '../../../internal.ts'
import { errorCodeOf, reasonOf } from '../../../system/system-errors.ts'
import type { NameOf } from '../../journal/recorded-names.ts'
import { downloadName } from './download-name.ts'

export interface FilePaths {
  readonly path: string
  /** Whose name the part has; default: the path. */
  readonly ownPath?: string
}

/** How the files of a run are named. */
export interface Naming {
  readonly outputDir: string
  /** Whether to replace existing files. */
  readonly force: boolean
  readonly nameOf: NameOf
  /** File names used in this run, in lower case: some file systems ignore case. */
  readonly taken: Set<string>
}

/**
 * An upload's name is the name of its file if no other file has that, else it gets the slug as well. An earlier run may
 * have chosen the longer one.
 */
export async function choosePath(upload: Upload, { outputDir, force, nameOf, taken }: Naming): Promise<FilePaths> {
  const inFolder = (name: string) => join(outputDir, name)
  const name = nameOf(upload)
  const own = downloadName(upload, name, name === null ? '' : upload.slug)
  const plain = downloadName(upload, name)
  const isOwnThere = (await lstat(inFolder(own)).catch(() => undefined)) !== undefined
  const isOther = isOwnThere || (!force && (await isOtherFile(inFolder(plain), upload.size)))
  if (own === plain || isOther || taken.has(plain.toLowerCase())) return { path: inFolder(freeName(own, taken)) }
  // Another process may download another upload of this name, so its part is named after the slug.
  const ownPath = inFolder(freeName(own, taken))
  return { path: inFolder(freeName(plain, taken)), ownPath }
}

/** Whether something is there that is not this upload's file, as far as its size tells. */
async function isOtherFile(path: string, size: number): Promise<boolean> {
  return await isThere(path, size).then(
    () => false,
    () => true,
  )
}

/** Two uploads of one run never get the same file name, even if the service gives them equal slugs. */
function freeName(name: string, taken: Set<string>): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : name.replace(/(\.[^.]*)?$/, (extension) => `-${number}${extension}`)
    if (taken.has(candidate.toLowerCase())) continue
    taken.add(candidate.toLowerCase())
    return candidate
  }
}

/**
 * Makes a folder for downloads, with its missing parents.
 * @throws DownloadError of code `file-unwritable`
 */
export async function makeOutputFolder(path: string): Promise<void> {
  try {
    await makeFolders(path)
  } catch (error) {
    throw new DownloadError('file-unwritable', `Cannot create the folder ${path}: ${reasonOf(error)}`, {
      hint: 'Choose another folder with -O',
      cause: error,
    })
  }
}

/** Node's `recursive` option never returns on file systems such as /proc, where no folder can be created. */
async function makeFolders(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST' && (await stat(path)).isDirectory()) return
    const parent = dirname(path)
    const isParentThere = (await stat(parent).catch(() => undefined)) !== undefined
    if (errorCodeOf(error) !== 'ENOENT' || parent === path || isParentThere) throw error
    await makeFolders(parent)
    await makeFolders(path)
  }
}
