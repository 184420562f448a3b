import { randomBytes } from 'node:crypto'
import { afterRealTime } from '../clock/clock.ts'
import type { Html } from '../site/html/html.ts'
import type { SectionName, View } from './section.ts'

/** Longer than any browser takes to follow a redirect, in milliseconds of real time. */
const keptMs = 60_000
const mostKept = 100

/** What actions leave for the next look at the page: it is in no address, and is shown once. */
export function createNotices() {
  const kept = new Map<string, NonNullable<View['notice']>>()
  return {
    /** @returns the name under which it is taken */
    keep(section: SectionName, content: Html) {
      const name = randomBytes(12).toString('base64url')
      const [oldest] = kept.size < mostKept ? [] : kept.keys()
      if (oldest !== undefined) kept.delete(oldest)
      kept.set(name, { section, content })
      afterRealTime(keptMs, () => void kept.delete(name))
      return name
    },
    take(name: string | null): View['notice'] {
      if (name === null) return undefined
      const notice = kept.get(name)
      kept.delete(name)
      return notice
    },
  }
}
