import type { Emulator } from '../../emulator/index.ts'
import { contentOf } from './files.ts'
import type { StoredFile } from './verdict.ts'

/** What a service has. */
interface ServiceState {
  readonly stored: readonly StoredFile[]
  readonly requests: readonly LoggedRequest[]
}

/** A request as a snapshot has it. */
interface LoggedRequest {
  readonly headers?: string
  readonly file?: { readonly name: string }
  /** Whether it stored its file. */
  readonly stored?: boolean
}

export async function serviceState({ control }: Emulator): Promise<ServiceState> {
  const { records, blobs } = await control.state.get()
  const uploads = records['uploads'] as readonly { readonly slug: string; readonly blob_id: string | null }[]
  const stored = uploads.map(({ slug, blob_id }) => ({
    slug,
    content: contentOf(Buffer.from(blobs[blob_id ?? ''] ?? '', 'base64')),
  }))
  return { stored, requests: records['requests'] as readonly LoggedRequest[] }
}
