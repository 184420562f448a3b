import type { Client, Clock, Transport, Upload } from '../../../index.ts'
import {
  createBandwidth,
  type DownloadTarget,
  download,
  downloadToPath,
  downloadToStream,
  fileAddress,
} from '../../../internal.ts'
import type { createQueue } from '../../../system/queue.ts'
import { isAbort, orAborted } from '../../../system/signals.ts'
import type { NameOf } from '../../../uploads/names.ts'
import { type Context, openSiteAccess } from '../../context/context.ts'
import { isOutputEnd } from '../../context/interruption.ts'
import type { ItemRecord } from '../../output/events.ts'
import { failedRecord } from '../../output/records.ts'
import { choosePath, type FilePaths } from './download-path.ts'

export interface DownloadTargetChoice {
  /** Path for a single file, `-` for standard output. Default: the name of the upload, else its slug. */
  readonly output?: string | undefined
  /** Default: the working folder. */
  readonly outputDir: string
  readonly force: boolean
}

export interface DownloadTools {
  readonly target: DownloadTargetChoice
  readonly client: Client
  /** Fetches raw files. */
  readonly site: Awaited<ReturnType<typeof createSiteDownloader>>
  readonly context: Context
  /** Uploads that have been looked up already, by slug. */
  readonly known: ReadonlyMap<string, Upload>
  /** Names the files; not needed where the target is one path. */
  readonly nameOf: NameOf
  /** File names used in this run, in lower case: some file systems ignore case. */
  readonly taken: Set<string>
  /** In which the uploads choose their paths: two runs of one command give each of them the same one. */
  readonly queue: ReturnType<typeof createQueue>
}

/** Downloads the file of one upload, or skips it if the file exists already. Undefined where the run was stopped first. */
export async function downloadOne(slug: string, index: number, tools: DownloadTools): Promise<ItemRecord | undefined> {
  const { client, context, target } = tools
  const lookUp = async () =>
    tools.known.get(slug) ?? (await client.show(slug, { signal: context.interruption.stopping }))
  const found = lookUp()
  const choose = async () => choosePath(await found, { ...tools, ...target })
  const paths: Promise<FilePaths> =
    target.output === undefined ? tools.queue(choose) : Promise.resolve({ path: target.output })
  // What fails here fails the download below.
  paths.catch(() => {})
  let upload: Upload | undefined
  try {
    upload = await found
    const { status, path } = await fetchFile(upload, index, paths, tools)
    return { subject: { slug }, status, path, upload, error: null }
  } catch (error) {
    // A closed or failed output is reported at the end of the run, not for each file.
    const cause = context.interruption.cause()
    const unread = cause !== undefined && isOutputEnd(cause)
    const started = upload !== undefined || !isAbort(error)
    return started && !unread ? { ...failedRecord({ slug }, error), path: null } : undefined
  }
}

async function fetchFile(upload: Upload, index: number, paths: Promise<FilePaths>, tools: DownloadTools) {
  const { target, site, context } = tools
  const { interruption, reporter, io } = context
  const { stopping, givingUp } = interruption
  const url = fileAddress(upload)
  const { slug: name, size } = upload
  reporter.report({ type: 'item-started', index, name, total: size })
  const onProgress = (bytes: number) => reporter.report({ type: 'item-moved', index, bytes, total: size })
  const fetch = (target: DownloadTarget, signal = stopping) => site.fetch(url, target, { size, signal })
  if (target.output === '-') {
    await downloadToStream(io.stdout, { name: 'Standard output', signal: stopping, onProgress }, fetch)
    return { status: 'downloaded', path: null } as const
  }
  const { path, ownPath } = await orAborted(paths, stopping)
  const isNew = await downloadToPath(path, {
    ...upload,
    ownPath,
    force: target.force,
    signal: stopping,
    givingUp,
    onProgress,
    fetch,
  })
  return { status: isNew ? 'downloaded' : 'skipped', path } as const
}

/** @param bwlimit bytes per second of all files together */
export async function createSiteDownloader({ bwlimit }: { readonly bwlimit?: number | undefined }, context: Context) {
  const access = await openSiteAccess(context)
  const transport = bwlimit === undefined ? access.transport : pacedAnswers(access.transport, bwlimit, context.clock)
  return {
    fetch: (url: string, target: DownloadTarget, file: { size: number; signal: AbortSignal }) =>
      download(url, target, { ...access, transport, ...file }),
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
