import { lstat } from 'node:fs/promises'
import { type Client, type Clock, type DownloadTarget, download, type Transport, type Upload } from '../../../index.ts'
import { createBandwidth } from '../../../internal.ts'
import { orAborted } from '../../../system/abortable.ts'
import { failedRecord, notStartedRecord } from '../../batch/records.ts'
import { CliError } from '../../failures/cli-error.ts'
import { isAbort } from '../../failures/exit-codes.ts'
import type { NameOf } from '../../journal/recorded-names.ts'
import type { ItemRecord } from '../../output/events.ts'
import type { Context } from '../../run/context.ts'
import { isOutputEnd } from '../../run/interruption.ts'
import { openSiteAccess } from '../../run/site-access.ts'
import { choosePath, type FilePaths, isThere } from './download-path.ts'
import { foreign } from './own-file.ts'
import { openPartFile } from './part-file.ts'
import { lockPart } from './part-lock.ts'
import { createStreamTarget } from './stdout-target.ts'

/** Where to write the files. */
export interface DownloadTargetChoice {
  /** Path for a single file, `-` for standard output. Default: the name of the upload, else its slug. */
  readonly output?: string | undefined
  /** Default: the working folder. */
  readonly outputDir: string
  /** Whether to replace existing files. */
  readonly force: boolean
}

export interface DownloadTools {
  readonly target: DownloadTargetChoice
  readonly client: Client
  readonly site: SiteDownloader
  readonly context: Context
  /** Uploads that have been looked up already, by slug. */
  readonly known: ReadonlyMap<string, Upload>
  /** Names the files; not needed where the target is one path. */
  readonly nameOf: NameOf
  /** File names used in this run, in lower case: some file systems ignore case. */
  readonly taken: Set<string>
}

/** Downloads the file of one upload, or skips it if the file exists already. */
export async function downloadOne(slug: string, index: number, tools: DownloadTools): Promise<ItemRecord> {
  const { client, context } = tools
  let upload: Upload | undefined
  try {
    upload = tools.known.get(slug) ?? (await client.show(slug, { signal: context.interruption.stopping }))
    const { status, path } = await fetchFile(upload, index, tools)
    return { subject: { slug }, status, path, upload, error: null }
  } catch (error) {
    // A closed or failed output is reported at the end of the run, not for each file.
    const cause = context.interruption.cause()
    const unread = cause !== undefined && isOutputEnd(cause)
    const started = upload !== undefined || !isAbort(error)
    const record = started && !unread ? failedRecord({ slug }, error) : notStartedRecord({ slug })
    return { ...record, path: null }
  }
}

async function fetchFile(upload: Upload, index: number, tools: DownloadTools) {
  const { target, site, context } = tools
  const { interruption, reporter, io } = context
  const { stopping, givingUp } = interruption
  const url = httpUrl(upload)
  reporter.report({ type: 'item-started', index, name: upload.slug, total: upload.size })
  const onProgress = (bytes: number) => reporter.report({ type: 'item-moved', index, bytes, total: upload.size })
  if (target.output === '-') {
    const stream = createStreamTarget(io.stdout, { size: upload.size, signal: stopping, onProgress })
    await site.fetch(url, stream, stopping)
    stream.finish()
    return { status: 'downloaded', path: null } as const
  }
  const { path, ownPath }: FilePaths =
    target.output === undefined
      ? await orAborted(choosePath(upload, { ...tools, ...target }), stopping)
      : { path: target.output }
  // A disk that hangs must not keep the run from stopping.
  if (target.force) await orAborted(assertReplaceable(path), stopping)
  const isDone = async () => !target.force && (await orAborted(isThere(path, upload.size), stopping))
  if (await isDone()) return { status: 'skipped', path } as const
  using _lock = await lockPart(ownPath ?? path, context)
  // Another run may have finished it meanwhile.
  if (await isDone()) return { status: 'skipped', path } as const
  const { slug, size } = upload
  const options = { slug, size, force: target.force, ownPath, onProgress }
  await using part = await orAborted(openPartFile(path, options), stopping)
  await site.fetch(url, part, stopping)
  await orAborted(part.finish(), givingUp)
  return { status: 'downloaded', path } as const
}

/** @throws CliError if the upload's `direct_url` is not an http(s) URL */
function httpUrl({ direct_url: url, slug }: Upload): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw new CliError(
    'no-file-address',
    `The service gave no valid address for the file of ${slug}: ${JSON.stringify(url)}`,
  )
}

/** @throws CliError if the path is something other than a file: a device, a pipe, a folder */
async function assertReplaceable(path: string): Promise<void> {
  const named = await lstat(path).catch(() => undefined)
  if (named !== undefined && !named.isFile() && !named.isSymbolicLink()) throw foreign(path, 'it is not a file')
}

/** Fetches raw files. */
export interface SiteDownloader extends AsyncDisposable {
  fetch(url: string, target: DownloadTarget, signal: AbortSignal): Promise<void>
}

/** @param bwlimit bytes per second of all files together */
export async function createSiteDownloader(
  { bwlimit }: { readonly bwlimit?: number | undefined },
  context: Context,
): Promise<SiteDownloader> {
  const access = await openSiteAccess(context)
  const transport = bwlimit === undefined ? access.transport : pacedAnswers(access.transport, bwlimit, context.clock)
  return {
    fetch: (url, target, signal) => download(url, target, { ...access, transport, signal }),
    async [Symbol.asyncDispose]() {
      await access.transport.close?.()
    },
  }
}

/** Reads the bodies of answers at a rate, so that the site sends no faster. */
function pacedAnswers(transport: Transport, bytesPerSecond: number, clock: Clock): Transport {
  const bandwidth = createBandwidth(bytesPerSecond, clock)
  return {
    async send(request) {
      const answer = await transport.send(request)
      return { ...answer, body: bandwidth.paced(answer.body, request.signal) }
    },
  }
}
