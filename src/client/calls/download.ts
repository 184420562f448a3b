import { invalidValue } from '../../checks/coded-error.ts'
import { observer } from '../../checks/observer.ts'
import { checkOptions, hasMethods } from '../../checks/options.ts'
import { kindOf } from '../../checks/quoted.ts'
import type { Upload } from '../../protocol/resources.ts'
import { shareSignal } from '../../system/signals.ts'
import { type DownloadTarget, download, fileAddress } from '../download/download.ts'
import { downloadToPath } from '../download/path-download.ts'
import { downloadToStream } from '../download/stream-download.ts'
import { checkSlug, downloadOptions } from '../option-checks.ts'
import type { Client, DownloadDestination, DownloadOptions } from '../options.ts'
import type { FileRequestOptions } from '../site/file-request.ts'

/** Streams by their shape: an environment for tests may have classes of its own. @throws TypeError */
function checkDestination(given: unknown): void {
  if (typeof given === 'string' && given !== '' && !given.includes('\0')) return
  const isStream = [['write', 'end', 'on'], ['getWriter']].some((methods) => hasMethods(given, methods))
  const isLocked = Object(given).locked === true
  if (isStream && !isLocked) return
  const found = `${kindOf(given)}${isLocked ? ' that something else writes to' : ''}`
  throw invalidValue(`client.download takes a path or a writable stream second, but got ${found}`)
}

/** Looks an upload up and fetches its file from the site, without the key. */
export async function downloadUpload(
  { show, ...site }: FileRequestOptions & Pick<Client, 'show'>,
  slug: string,
  destination: DownloadDestination,
  options: DownloadOptions = {},
): Promise<Upload> {
  checkSlug('client.download', slug)
  checkDestination(destination)
  checkOptions('client.download', options, downloadOptions)
  const { force = false, signal = new AbortController().signal } = options
  shareSignal(signal)
  const observe = observer('onProgress of client.download', options.onProgress)
  let total = 0
  const onProgress = (received: number) => observe({ received, total })
  async function find(signal: AbortSignal) {
    const upload = await show(slug, { signal })
    const url = fileAddress(upload)
    total = upload.size
    const fetch = (target: DownloadTarget) => download(url, target, { ...site, size: total, signal })
    return { upload, fetch }
  }
  if (typeof destination !== 'string') {
    const stream = { name: `The stream for ${slug}`, signal, onProgress }
    return await downloadToStream(destination, stream, async (target, until) => {
      const { upload, fetch } = await find(until)
      await fetch(target)
      return upload
    })
  }
  const { upload, fetch } = await find(signal)
  await downloadToPath(destination, { ...upload, force, signal, onProgress, fetch })
  return upload
}
