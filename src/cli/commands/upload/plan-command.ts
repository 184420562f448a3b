import { type LedgerProblem, prepareSource } from '../../../internal.ts'
import type { UploadStore } from '../../../store/upload-store.ts'
import { hashFile } from '../../../uploads/hash-file.ts'
import { storedPath } from '../../../uploads/known.ts'
import { stillUnknown } from '../../../uploads/reconciler.ts'
import { mapInChunks } from '../../batch/batch.ts'
import { forecastBatch, readRunners } from '../../batch/forecast.ts'
import type { Credentials } from '../../config/connection.ts'
import type { CommandResult, Context } from '../../context/context.ts'
import { openUploadStore } from '../../context/uploads.ts'
import { failedRecord } from '../../output/batch-text.ts'
import { makePlan, type PlannedFile, planLines, plannedItems } from '../../output/plan-text.ts'
import { unreadLedger } from '../../output/quota-text.ts'
import type { collectItems, LeftOutMedia } from './inputs/upload-inputs.ts'
import type { UploadItem } from './inputs/upload-items.ts'
import { spoolStream, type UploadLimits } from './sources/spooled-file.ts'
import type { UploadCommandOptions } from './upload-tools.ts'

/** Shows what an upload would do and when, judging by the files, the store of uploads and the ledger. Sends nothing. */
export async function showPlan(
  { items, leftOut, limits }: Awaited<ReturnType<typeof collectItems>> & { readonly limits: UploadLimits },
  options: UploadCommandOptions,
  credentials: Credentials,
  context: Context,
): Promise<CommandResult> {
  const { clock, warn, reporter, interruption } = context
  const store = openUploadStore({ ...options, isReadOnly: true }, credentials, context)
  const tools = { store, context, limits }
  const files = await mapInChunks(items, (item) => planItem(item, options, tools), interruption.stopping)
  const bytes = files.flatMap(({ status, size }) => (status === 'planned' ? [size ?? 0] : []))
  const onProblem = (problem: LedgerProblem) => warn(unreadLedger(problem))
  const rows = (await readRunners(credentials, context))?.rows
  const parts = forecastBatch(bytes, { ...options, onProblem, rows }, credentials, context)
  const asLeftOut = ({ file, size, mimeType: mime_type }: LeftOutMedia): PlannedFile => {
    return { ...unread, file, status: 'left_out', size, mime_type }
  }
  const plan = makePlan([...files, ...leftOut.map(asLeftOut)], parts, options.bwlimit)
  reporter.report({ type: 'plan-shown', plan, lines: (fitRows) => planLines(plan, clock.now(), fitRows) })
  return { type: 'batch', items: plannedItems(plan), errorOnNoTransfer: options.errorOnNoTransfer }
}

interface Tools {
  readonly store: UploadStore
  readonly context: Context
  readonly limits: UploadLimits
}

async function planItem(
  { file, url, stream, name, problem }: UploadItem,
  options: Pick<UploadCommandOptions, 'name' | 'force'>,
  tools: Tools,
): Promise<PlannedFile> {
  if (problem !== undefined) return refused(file, problem)
  // A plan sends nothing, to a site neither, and leaves in a pipe what is there.
  if (url !== undefined || stream === 'pipe') return { ...unread, file, status: 'planned' }
  try {
    if (stream === undefined) return await planFile(file, file, options, tools)
    const { input, interruption } = tools.context
    const spool = { name: name ?? '', ...tools.limits, signal: interruption.stopping }
    await using spooled = await spoolStream(input(), spool)
    return await planFile(file, spooled.path, { ...options, name: spooled.name }, tools)
  } catch (error) {
    return refused(file, error)
  }
}

async function planFile(
  file: string,
  path: string,
  { name, force }: Pick<UploadCommandOptions, 'name' | 'force'>,
  { store, context, limits }: Tools,
): Promise<PlannedFile> {
  const { size = null, mimeType: mime_type } = await prepareSource(path, limits)
  const known = { ...unread, file, size, mime_type }
  if (force || size === null) return { ...known, status: 'planned' }
  const leftOpen = (await store.leftOpen()).filter((item) => item.size === size)
  if (leftOpen.length === 0 && !(await store.hasSize(size))) return { ...known, status: 'planned' }
  const sha256 = await hashFile(path, context.interruption.stopping)
  const [stored] = await store.known({ size, sha256 })
  if (stored) return { ...known, status: 'skipped', upload: stored.upload ?? null, slug: stored.slug }
  // An item without a hash is of a run that was killed before it had hashed its file.
  const isOpen = leftOpen.some((item) =>
    item.sha256 === '' ? item.path === storedPath(file, name) : item.sha256 === sha256,
  )
  if (!isOpen) return { ...known, status: 'planned' }
  return { ...known, status: 'unknown', error: failedRecord({ file }, stillUnknown()).error }
}

/** Of a file that a plan does not read. */
const unread = { size: null, mime_type: null, upload: null, error: null } as const

function refused(file: string, error: unknown): PlannedFile {
  return { ...unread, file, status: 'failed', error: failedRecord({ file }, error).error }
}
