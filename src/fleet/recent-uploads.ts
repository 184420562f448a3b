import { type Clock, steadyMs } from '../clock.ts'
import type { Confirmed, ShownUpload } from './contents-calls.ts'

/** What runners tell again after Redis has lost something. */
const REMEMBERED_MS = 86_400_000

/** The uploads of the last day that the service showed this process. */
export function createRecentUploads(clock: Clock) {
  const uploads = new Map<string, { readonly slug: string; readonly aged: () => Confirmed }>()
  return {
    add(upload: ShownUpload) {
      const at = steadyMs(clock)
      const aged = (): Confirmed => ({ ...upload, ageMs: steadyMs(clock) - at })
      uploads.set(upload.sha256, { slug: upload.slug, aged })
      return aged
    },
    remove(slugs: readonly string[]): void {
      for (const [sha256, { slug }] of uploads) if (slugs.includes(slug)) uploads.delete(sha256)
    },
    all(): readonly Confirmed[] {
      for (const [sha256, { aged }] of uploads) if (aged().ageMs > REMEMBERED_MS) uploads.delete(sha256)
      return [...uploads.values()].map(({ aged }) => aged())
    },
  }
}
