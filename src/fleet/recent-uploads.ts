import { type Clock, steadyMs } from '../clock.ts'
import type { Confirmed, ShownUpload } from './contents-calls.ts'

/** What runners tell again after Redis has lost something. */
const REMEMBERED_MS = 86_400_000

/** The uploads of the last day that the service showed this process. */
export function createRecentUploads(clock: Clock) {
  const uploads = new Map<string, { readonly upload: ShownUpload; readonly at: number }>()
  const now = () => steadyMs(clock)
  return {
    add(upload: ShownUpload) {
      const at = now()
      uploads.set(upload.sha256, { upload, at })
      return { aged: (): Confirmed => ({ ...upload, ageMs: now() - at }) }
    },
    remove(slugs: readonly string[]): void {
      for (const [sha256, { upload }] of uploads) if (slugs.includes(upload.slug)) uploads.delete(sha256)
    },
    all(): readonly Confirmed[] {
      for (const [sha256, { at }] of uploads) if (now() - at > REMEMBERED_MS) uploads.delete(sha256)
      return [...uploads.values()].map(({ upload, at }) => ({ ...upload, ageMs: now() - at }))
    },
  }
}
