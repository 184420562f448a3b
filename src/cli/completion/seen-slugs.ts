import type { Upload } from '../../index.ts'
import type { CliEvent } from '../output/events.ts'
import { formatByteSize } from '../output/format/byte-size.ts'
import { formatDate, printable } from '../output/format/format.ts'
import type { Reporter } from '../output/reporter.ts'
import type { SeenSlugs } from './slug-cache.ts'

/** The same reporter, and what passes through it of uploads: those listed and made, and those that are gone. */
export function watchSlugs(reporter: Reporter): { readonly reporter: Reporter; readonly seen: SeenSlugs } {
  const seen = new Map<string, string | null>()
  const note = (event: CliEvent) => {
    if (event.type === 'upload-listed') seen.set(event.upload.slug, about(event.upload))
    if (event.type !== 'item-finished') return
    const { status, upload, subject } = event.record
    if (status === 'uploaded' && upload !== null) seen.set(upload.slug, about(upload))
    if (status === 'deleted' && 'slug' in subject) seen.set(subject.slug, null)
  }
  return {
    seen,
    reporter: {
      report(event) {
        note(event)
        reporter.report(event)
      },
      close: () => reporter.close(),
    },
  }
}

function about({ title, mime_type, size, created_at }: Upload): string {
  const named = title === null ? '' : `${printable(title)}, `
  return `${named}${printable(mime_type)}, ${formatByteSize(size)}, ${formatDate(created_at)}`
}
