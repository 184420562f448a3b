import { createHasher } from '../../../contents/hash-file.ts'
import { journalName } from '../../../contents/journal-items.ts'
import { anySignal, isAbort } from '../../../system/signals.ts'
import { printable } from '../../format/format.ts'
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
    if (!isAbort(error)) return failedRecord({ file }, error, name)
    return grace.nothingSent() ? undefined : failedRecord({ file }, error)
  }
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
    const { upload, known } = await uploadOnce(journalName(item.file, name), sending, tools)
    if (known === undefined) return { subject, status: 'uploaded', upload, error: null }
    return { subject, status: 'skipped', upload, known: { name: known.name, at: known.at }, error: null }
  } finally {
    reading.abort()
  }
}
