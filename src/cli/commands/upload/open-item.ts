import { constants, createReadStream, open as openCallback, type ReadStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { toSourceError } from '../../../client/sources/local-source.ts'
import { openRemoteFile, type RemoteFile } from '../../../client/sources/remote-file.ts'
import { prepareSource } from '../../../client/sources/upload-source.ts'
import type { ClientEvent, UploadSource } from '../../../index.ts'
import { isBun } from '../../../system/process.ts'
import { reasonOf } from '../../../system/system-errors.ts'
import { type Context, openSiteAccess, type SiteAccess } from '../../context/context.ts'
import { CliError } from '../../failures/cli-error.ts'
import { hints } from '../../failures/hints.ts'
import type { UploadItem } from './upload-items.ts'

/** Which files fh sends. */
export interface UploadLimits {
  /** In bytes; infinite if only the service limits it. */
  readonly maxFileSizeBytes: number
  readonly anyType: boolean
}

/** An item that can be read. Disposing removes a copy of it. */
export interface OpenItem extends AsyncDisposable {
  /** The file to read; undefined for a file on a site, which is sent as it comes. */
  readonly path: string | undefined
  readonly remote?: RemoteFile | undefined
  /** In bytes, if known before reading. */
  readonly bytes?: number | undefined
  /** What it is called in the store, if not by its path. */
  readonly name?: string
}

/**
 * Opens the items of a batch that are not read from their paths. What can be read only once is copied to a file first; a
 * file on a site only where its size is not known, or where it may be one that an earlier run has sent.
 */
export function createOpener(
  context: Context,
  limits: UploadLimits,
  /** Sizes of uploads that earlier runs left open: a file of such a size may be stored already. */
  leftOpen: ReadonlySet<number>,
) {
  /** One transport for all. */
  let access: Promise<SiteAccess> | undefined
  return {
    /**
     * @param index of the item in the batch
     * @returns undefined for a file on the disk
     * @throws SourceError if it is refused, CliError if it cannot be copied, `signal.reason` when aborted
     */
    async open(
      { file, url, stream, name = '' }: UploadItem,
      index: number,
      signal: AbortSignal,
    ): Promise<OpenItem | undefined> {
      const options = { name, ...limits, signal }
      if (stream === 'stdin') return await spoolStream(context.io.stdin, options)
      if (stream === 'pipe') return await spoolStream(await openPipe(file, signal), options)
      if (url === undefined) return undefined
      access ??= openSiteAccess(context)
      const site = await access
      const onEvent = (event: ClientEvent) => {
        site.onEvent(event)
        context.transfers.event(index, event)
      }
      const remote = await openRemoteFile(url, { ...site, name, signal, onEvent })
      const { size, name: ownName } = await prepareSource(remote, limits)
      if (size !== undefined && !leftOpen.has(size)) {
        const dispose = async () => remote.close()
        return { path: undefined, remote, bytes: size, name: ownName, [Symbol.asyncDispose]: dispose }
      }
      return await remote.whole(() => spool(remote, { ...options, name: ownName }))
    },
    async [Symbol.asyncDispose]() {
      // Who asked was told that it could not be opened.
      await (await access?.catch(() => undefined))?.transport.close?.()
    },
  }
}

export type Opener = ReturnType<typeof createOpener>

/**
 * Opens a named pipe. On Linux no thread waits until a program writes into it; elsewhere a signal ends the wait with the
 * process.
 * @throws SourceError if it cannot be opened
 */
async function openPipe(path: string, signal: AbortSignal): Promise<Socket | ReadStream> {
  signal.throwIfAborted()
  // Bun makes no socket of a pipe.
  if (process.platform !== 'linux' || isBun) return createReadStream(path)
  try {
    const fd = await promisify(openCallback)(path, constants.O_RDONLY | constants.O_NONBLOCK)
    return new Socket({ fd, readable: true, writable: false })
  } catch (error) {
    throw toSourceError(path, error)
  }
}

interface SpoolOptions extends UploadLimits {
  /** Empty if the type names it. */
  readonly name: string
  readonly signal: AbortSignal
}

/** Copies standard input or a pipe to a file: its size is exact then, and it can be sent twice. */
async function spoolStream(stream: Readable, options: SpoolOptions) {
  try {
    return await spool({ stream, name: options.name }, options)
  } catch (error) {
    // A pending read would keep the process alive.
    stream.destroy()
    throw error
  }
}

/**
 * Copies a source to a file that only this user can read; disposing removes it. Checks the type from the first bytes and
 * the size while copying, so that a refused file is not stored first.
 *
 * @throws SourceError if it is refused, CliError if it cannot be stored
 */
async function spool(from: UploadSource, options: SpoolOptions) {
  const source = await prepareSource(from, options)
  let folder: string | undefined
  const remove = async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }
  try {
    folder = await mkdtemp(join(tmpdir(), 'fh-spool-'))
    const path = join(folder, source.name)
    const file = await open(path, 'wx', 0o600)
    try {
      for await (const chunk of source.read()) await file.appendFile(chunk)
    } finally {
      await file.close()
    }
    return { path, name: source.name, [Symbol.asyncDispose]: remove }
  } catch (error) {
    source.close()
    await remove()
    // What the source throws has words of its own.
    if (Object(error).syscall === undefined) throw error
    const message = `The copy cannot be written to ${tmpdir()}: ${reasonOf(error)}`
    throw new CliError('file-unwritable', message, { hint: hints.temporaryFolder, cause: error })
  }
}
