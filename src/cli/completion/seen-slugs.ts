import type { Upload } from '../../index.ts'
import { formatByteSize } from '../format/byte-size.ts'
import { printable } from '../format/format.ts'
import { formatDate } from '../format/time.ts'
import type { CliEvent, Reporter } from '../output/events.ts'
import type { SeenSlugs } from './slug-cache.ts'

/** Wraps a reporter, and collects the slugs of the uploads that it reports as listed, uploaded or deleted. */
export function watchSlugs(reporter: Reporter): { readonly reporter: Reporter; readonly seen: SeenSlugs } {
  const seen = new Map<string, string | null>()
  const collect = (event: CliEvent) => {
    if (event.type === 'upload-listed') seen.set(event.upload.slug, descriptionOf(event.upload))
    if (event.type !== 'item-finished') return
    const { status, upload, subject } = event.record
    if (status === 'uploaded' && upload !== null) seen.set(upload.slug, descriptionOf(upload))
    if (status === 'deleted' && 'slug' in subject) seen.set(subject.slug, null)
  }
  return {
    seen,
    reporter: {
      report(event) {
        collect(event)
        reporter.report(event)
      },
      close: () => reporter.close(),
    },
  }
}

function descriptionOf({ title, mime_type, size, created_at }: Upload): string {
  const named = title === null ? '' : `${printable(title)}, `
  return `${named}${printable(mime_type)}, ${formatByteSize(size)}, ${formatDate(created_at)}`
}
