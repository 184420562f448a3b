import { failedRecord, notStartedRecord } from '../../batch/records.ts'
import { isAbort } from '../../failures/exit-codes.ts'
import type { ItemRecord } from '../../output/events.ts'
import { createHasher } from './content-hash.ts'
import { runWithGrace } from './graceful-upload.ts'
import { journalName } from './resume.ts'
import { spoolStdin } from './stdin-file.ts'
import type { UploadItem } from './upload-items.ts'
import { uploadOnce } from './upload-once.ts'
import type { Place, UploadTools } from './upload-tools.ts'

/**
 * Uploads one item, or skips it if the account has its content.
 * @param halted aborts when the batch stops early
 */
export async function uploadItem(
  { file, problem, bytes }: UploadItem,
  tools: UploadTools,
  halted: AbortSignal,
  index: number,
): Promise<ItemRecord> {
  if (problem !== undefined) return failedRecord({ file }, problem)
  if (file !== '-') return await uploadFile(file, { path: file, bytes, halted, index }, tools)
  const { io, interruption } = tools.context
  try {
    const { name, limits } = tools
    await using spooled = await spoolStdin(io.stdin, { name, ...limits, signal: interruption.stopping })
    return await uploadFile(file, { path: spooled.path, halted, index }, tools)
  } catch (error) {
    return failedRecord({ file }, error, tools.name)
  }
}

async function uploadFile(file: string, place: Place, tools: UploadTools): Promise<ItemRecord> {
  const { path, bytes, halted, index } = place
  const { context } = tools
  context.reporter.report({ type: 'item-started', index, name: file === '-' ? tools.name : file, total: bytes })
  return runWithGrace(
    context.interruption,
    async (grace): Promise<ItemRecord> => {
      const reading = new AbortController()
      const hash = createHasher(path, AbortSignal.any([grace.signal, reading.signal]))
      try {
        const result = await uploadOnce(journalName(file, tools.name), { ...place, hash, grace }, tools)
        if (result.type === 'sent') return { subject: { file }, status: 'uploaded', upload: result.upload, error: null }
        const { known, upload } = result.present
        return { subject: { file }, status: 'skipped', upload, known: { name: known.name, at: known.at }, error: null }
      } catch (error) {
        if (!isAbort(error)) return failedRecord({ file }, error, path)
        return grace.nothingSent() ? notStartedRecord({ file }) : failedRecord({ file }, error)
      } finally {
        reading.abort()
      }
    },
    halted,
  )
}
