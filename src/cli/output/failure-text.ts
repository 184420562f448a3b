import { subjectName } from '../batch/records.ts'
import type { Failure } from '../failures/failure.ts'
import type { ItemRecord } from './events.ts'
import { printable } from './format/format.ts'
import type { Palette } from './terminal/color.ts'

/** A failure as people read it: what happened, to what, and what to do next. */
export function failureLines(
  failure: Failure,
  subject: ItemRecord['subject'] | undefined,
  palette: Palette,
): readonly string[] {
  const name = subject === undefined ? '' : subjectName(subject)
  const { place, message } = missingUpload(failure, name) ?? { place: name, message: failure.message }
  const start = place === '' ? '' : `${printable(place)}: `
  const { hint } = failure
  return [`${palette.error('fh:')} ${start}${printable(message)}`, ...(hint === null ? [] : [`  ${printable(hint)}`])]
}

/** Of an upload that is not there nobody needs the address; where it was asked for alone, its slug is in there. */
function missingUpload(
  { code, httpStatus, request, serviceMessage }: Failure,
  name: string,
): { readonly place: string; readonly message: string } | undefined {
  const [, slug] = /\/api\/uploads\/([^/]+)$/.exec(request?.path ?? '') ?? []
  const isMissing = code === 'not-found' && (httpStatus === 404 || httpStatus === 410)
  if (!isMissing || slug === undefined) return undefined
  return { place: name === '' ? slug : name, message: `not found${wordsBesides(serviceMessage ?? '')}` }
}

/** What the service says beside that; the classes its program is made of are called by their last name. */
function wordsBesides(words: string): string {
  if (words === '' || /^not found\.?$/i.test(words)) return ''
  return ` (${words.replaceAll(/\[(?:\w+\\)+(\w+)\]/g, '[$1]')})`
}
