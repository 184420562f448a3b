import type { Emulator } from '../../emulator/index.ts'
import { contentOf } from './files.ts'
import type { Evidence } from './verdict.ts'

/** A request as a snapshot has it. */
interface LoggedRequest {
  readonly headers?: string
  readonly file?: { readonly name: string }
  /** Whether it stored its file. */
  readonly stored?: boolean
}

/** What a service has, and which run sent it, by the header in which each request names its run. */
export async function serviceState({ control }: Emulator): Promise<Pick<Evidence, 'stored' | 'sent'>> {
  const { records, blobs } = await control.state.get()
  const uploads = records['uploads'] as readonly { readonly slug: string; readonly blob_id: string | null }[]
  const requests = records['requests'] as readonly LoggedRequest[]
  return {
    stored: uploads.map(({ slug, blob_id }) => ({
      slug,
      content: contentOf(Buffer.from(blobs[blob_id ?? ''] ?? '', 'base64')),
    })),
    sent: requests.flatMap(({ headers, file, stored }) =>
      stored && file ? [{ run: Number(/^x-run: (\d+)/im.exec(headers ?? '')?.[1]), content: file.name }] : [],
    ),
  }
}
