import { prepareSource } from '../../../client/sources/upload-source.ts'
import type { LedgerProblem } from '../../../pacing/shared/shared-ledger.ts'
import type { UploadStore } from '../../../store/upload-store.ts'
import { createHasher } from '../../../uploads/hash-file.ts'
import { storedPath } from '../../../uploads/known.ts'
import { stillUnknown } from '../../../uploads/reconciler.ts'
import { mapInChunks } from '../../batch/batch.ts'
import { forecastByLedger, readRunners } from '../../batch/forecast.ts'
import type { Credentials } from '../../config/credentials.ts'
import type { Context } from '../../context/context.ts'
import { openUploadStore } from '../../context/uploads.ts'
import { asUsage } from '../../failures/cli-error.ts'
import { exitCodeOfBatch } from '../../failures/exit-codes.ts'
import { unreadLedger } from '../../output/notes.ts'
import { makePlan, type PlannedFile, planDocument, plannedItems } from '../../output/plan-text.ts'
import { failedRecord } from '../../output/records.ts'
import { loadWidths } from '../../output/terminal/terminal-text.ts'
import type { UploadLimits } from './open-item.ts'
import { type collectItems, isOnDisk, type UploadItem, type UploadOptions } from './upload-items.ts'

/** Shows what an upload would do and when, judging by the files, the store of uploads and the ledger. Sends nothing. */
export async function planUpload(
  { items, leftOut }: Awaited<ReturnType<typeof collectItems>>,
  limits: UploadLimits,
  options: UploadOptions,
  credentials: Credentials,
  context: Context,
): Promise<number> {
  const { clock, warn, print, reporter, interruption } = context
  const store = await openUploadStore({ ...options, isLocal: true }, credentials, context)
  const planned = (item: UploadItem) => planItem(item, options, limits, store, context)
  const files = await mapInChunks(items, planned, interruption.stopping)
  const bytes = files.flatMap(({ status, size }) => (status === 'planned' ? [size ?? 0] : []))
  const onProblem = (problem: LedgerProblem) => warn(unreadLedger(problem))
  const rows = (await readRunners(context))?.rows
  const { jobs, bwlimit: bytesPerSecond } = options
  const pace = { jobs, bytesPerSecond, onProblem, rows }
  const { parts } = asUsage(() => forecastByLedger(bytes, pace, credentials, context))
  const others = leftOut.map(({ file, size, mimeType: mime_type }): PlannedFile => {
    return { ...unread, file, status: 'left_out', size, mime_type }
  })
  const plan = makePlan([...files, ...others], parts, bytesPerSecond)
  await loadWidths()
  print(planDocument(plan, clock.now()))
  for (const { file, error: failure, status } of plan.files) {
    if (failure !== null && status === 'failed') reporter.report({ type: 'failed', failure, subject: { file } })
  }
  return exitCodeOfBatch(plannedItems(plan))
}

async function planItem(
  item: UploadItem,
  { force }: UploadOptions,
  limits: UploadLimits,
  store: UploadStore,
  context: Context,
): Promise<PlannedFile> {
  const { file, problem } = item
  // A plan sends nothing, to a site neither, and leaves in a pipe what is there.
  if (!isOnDisk(item)) return { ...unread, file, status: 'planned' }
  try {
    if (problem !== undefined) throw problem
    const { size = null, mimeType: mime_type } = await prepareSource(file, limits)
    const known = { ...unread, file, size, mime_type }
    const leftOpen = (await store.leftOpen()).filter((item) => item.size === size)
    const mayBeStored = size !== null && (leftOpen.length > 0 || (await store.hasSize(size)))
    if (force || !mayBeStored) return { ...known, status: 'planned' }
    const sha256 = await createHasher(file)(context.interruption.stopping)
    const [stored] = await store.known({ size, sha256 })
    if (stored) return { ...known, status: 'skipped', upload: stored.upload ?? null, slug: stored.slug }
    // An item without a hash is of a run that was killed before it had hashed its file.
    const path = storedPath(file, undefined)
    const isOpen = leftOpen.some((item) => (item.sha256 === '' ? item.path === path : item.sha256 === sha256))
    if (!isOpen) return { ...known, status: 'planned' }
    return { ...known, status: 'unknown', error: failedRecord({ file }, stillUnknown()).error }
  } catch (error) {
    return { ...unread, file, status: 'failed', error: failedRecord({ file }, error).error }
  }
}

/** Of a file that a plan does not read. */
const unread = { size: null, mime_type: null, upload: null, error: null } as const
