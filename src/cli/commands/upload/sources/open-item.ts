import type { Readable } from 'node:stream'
import { type Clock, startTimer } from '../../../../clock.ts'
import { shellWord } from '../../../../environment/shell-word.ts'
import { SourceError } from '../../../../index.ts'
import { prepareSource, type RemoteFile } from '../../../../internal.ts'
import type { Comparison } from '../../../../uploads/known.ts'
import { slugOfUrl } from '../../../choice/upload-names.ts'
import { isBelow } from '../../../config/api-key.ts'
import type { UploadItem } from '../inputs/upload-items.ts'
import { openPipe } from './named-pipe.ts'
import type { RemoteFiles } from './remote-files.ts'
import { type SpoolOptions, spoolSource, spoolStream, type UploadLimits } from './spooled-file.ts'

/** An item that can be read. Disposing removes a copy of it. */
export interface OpenItem extends AsyncDisposable {
  /** The file to read; undefined for a file on a site, which is sent as it comes. */
  readonly path: string | undefined
  readonly remote: RemoteFile | undefined
  /** In bytes, if known before reading. */
  readonly bytes: number | undefined
  /** What it is called in the store, if not by its path. */
  readonly name: string | undefined
}

export interface OpenItemTools {
  /** Standard input, to be read to its end. Making the stream takes a millisecond. */
  readonly input: () => Readable
  readonly limits: UploadLimits
  readonly remoteFiles: RemoteFiles | undefined
  /** Sizes of uploads that earlier runs left open: a file of such a size may be stored already. */
  readonly leftOpen: ReadonlySet<number>
  /** Tells which sizes have to be compared; undefined to upload what the account has already. */
  readonly comparison: Pick<Comparison, 'needsHash'> | undefined
  readonly baseUrl: string
  readonly signal: AbortSignal
  /** Called when a wait for bytes of a site begins or ends. */
  readonly onAwaited: ((isAwaited: boolean) => void) | undefined
  readonly clock: Clock
  /** Called for a pipe into which nothing is written for a while. */
  readonly onSilentPipe: () => void
}

/**
 * Opens an item: what can be read only once is copied to a file first. A file on a site is copied only where its size is
 * not known, or has to be compared.
 * @throws SourceError if it is refused, CliError if it cannot be copied, `signal.reason` when aborted
 */
export async function openItem(item: UploadItem, index: number, tools: OpenItemTools): Promise<OpenItem> {
  const { file, url, stream, bytes, name = '' } = item
  const { input, limits, signal, onAwaited, remoteFiles } = tools
  if (url !== undefined && remoteFiles !== undefined) {
    return await openRemote(await remoteFiles.open(url, index, { name, signal, onAwaited }), url, tools)
  }
  if (stream === undefined) {
    return { path: file, remote: undefined, bytes, name: undefined, async [Symbol.asyncDispose]() {} }
  }
  const options = { name, ...limits, signal }
  const spooled = stream === 'stdin' ? await spoolStream(input(), options) : await spoolPipe(file, options, tools)
  return { ...spooled, remote: undefined, bytes: undefined }
}

/** So long a program may take to begin to write into a pipe before that is said. */
const WORTH_SAYING_MS = 1_000

async function spoolPipe(path: string, options: SpoolOptions, { clock, onSilentPipe }: OpenItemTools) {
  let pipe: Readable | undefined
  // Before the opening, which waits for the writer where it cannot do so later.
  const stopTimer = startTimer(clock, WORTH_SAYING_MS, () => {
    if (pipe === undefined || (pipe.readableLength === 0 && !pipe.readableDidRead)) onSilentPipe()
  })
  try {
    pipe = await openPipe(path, options.signal)
    return await spoolStream(pipe, options)
  } finally {
    stopTimer()
  }
}

async function openRemote(remote: RemoteFile, url: string, tools: OpenItemTools): Promise<OpenItem> {
  const { limits, leftOpen, comparison, signal } = tools
  const { size, name } = await prepareSource(remote, limits).catch((error) => {
    throw asUploadPage(error, url, tools.baseUrl)
  })
  if (size !== undefined && !leftOpen.has(size) && !(await comparison?.needsHash(size))) {
    return { path: undefined, remote, bytes: size, name, [Symbol.asyncDispose]: async () => remote.close() }
  }
  const spooled = await remote.whole(() => spoolSource(remote, { name, ...limits, signal }))
  return { ...spooled, remote: undefined, bytes: undefined }
}

/** The page of an upload of this service shows its file, and has a slug. */
function asUploadPage(error: unknown, url: string, baseUrl: string): unknown {
  const isRefused = error instanceof SourceError && error.code === 'source-unsupported-type'
  if (!isRefused || !isBelow(new URL(url), baseUrl)) return error
  const slug = slugOfUrl(new URL(url))
  if (slug === undefined) return error
  const word = shellWord(slug)
  const hint = `It shows an upload of this service: fh show ${word}, or fh download ${word}`
  return new SourceError('unsupported-type', error.message, { hint, cause: error })
}
