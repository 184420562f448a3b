import { shellWord } from '../../../environment/shell-word.ts'
import { UnknownOutcomeError } from '../../../index.ts'
import { anySignal, isAbort } from '../../../system/signals.ts'
import { createHasher } from '../../../uploads/hash-file.ts'
import { storedPath } from '../../../uploads/known.ts'
import { printable, shownFile } from '../../format/format.ts'
import { failedRecord, subjectName } from '../../output/batch-text.ts'
import type { ItemRecord } from '../../output/events.ts'
import type { UploadItem } from './inputs/upload-items.ts'
import { openItem } from './sources/open-item.ts'
import { watchSilence } from './sources/remote-files.ts'
import { uploadOnce } from './upload-once.ts'
import { createGracefulUpload, type Sending, type UploadTools } from './upload-tools.ts'

/**
 * Uploads one item, or skips it if the account has its content. Undefined where it was stopped before anything was sent.
 * @param halted aborts when the batch stops early
 */
export async function uploadItem(
  item: UploadItem,
  tools: UploadTools,
  halted: AbortSignal,
  index: number,
): Promise<ItemRecord | undefined> {
  const { file, stream, problem, bytes, name } = item
  if (problem !== undefined) return failedRecord({ file }, problem)
  const { reporter, interruption } = tools.context
  const label = (stream === 'stdin' && name) || subjectName({ file })
  reporter.report({ type: 'item-started', index, name: label, total: bytes })
  using grace = createGracefulUpload(interruption, halted)
  try {
    return await openAndSend(item, { index, label, grace }, tools)
  } catch (error) {
    if (!isAbort(error)) return withAdvice(failedRecord({ file }, error, name), error, file, tools)
    return grace.nothingSent() ? undefined : failedRecord({ file }, error)
  }
}

/** Says what to do about a file of unknown outcome, where its error does not. */
function withAdvice(record: ItemRecord, error: unknown, file: string, tools: UploadTools): ItemRecord {
  const { error: failure } = record
  if (!(error instanceof UnknownOutcomeError) || failure === null) return record
  // An error of the library, which has the intent, knows no commands.
  if (error.intent === undefined && error.hint !== undefined) return record
  const again = tools.isRemembered
    ? `Run the same command again${tools.comparison === undefined ? ' without --force' : ''}: fh looks for it first`
    : 'Look for it with fh list before you upload it again'
  const [one, ...others] = error.candidates
  const [it, yours] = others.length === 0 ? ['it', 'it is'] : ['them', 'one is']
  const command = `fh upload --force ${shellWord(shownFile(file))}`
  const hint = one === undefined ? again : `Open ${it}: if ${yours} your file, you are done; if not: ${command}`
  return { ...record, error: { ...failure, hint } }
}

async function openAndSend(
  item: UploadItem,
  place: Pick<Sending, 'index' | 'label' | 'grace'>,
  tools: UploadTools,
): Promise<ItemRecord> {
  const { grace, index } = place
  const subject = { file: item.file }
  const { input, interruption, clock, note } = tools.context
  using silence = item.url === undefined ? undefined : watchSilence(interruption.stopping, clock)
  const signal = silence === undefined ? grace.signal : anySignal([grace.signal, silence.signal])
  const onSilentPipe = () => note(`${printable(item.file)}: waiting for a program to write into this pipe`)
  const opening = { ...tools, clock, input, signal, onAwaited: silence?.awaited, onSilentPipe }
  await using opened = await openItem(item, index, opening)
  const { path, remote, bytes, name } = opened
  const reading = new AbortController()
  const hasher = path === undefined ? async () => '' : (tools.comparison?.hasherOf(index) ?? createHasher(path))
  const hash = () => hasher(anySignal([grace.signal, reading.signal]))
  try {
    const sending = { ...place, path, remote, bytes, hash }
    const { upload, known } = await uploadOnce(storedPath(item.file, name), sending, tools)
    if (known === undefined) return { subject, status: 'uploaded', upload, error: null }
    return { subject, status: 'skipped', upload, known: { name: known.name, at: known.at }, error: null }
  } finally {
    reading.abort()
  }
}
