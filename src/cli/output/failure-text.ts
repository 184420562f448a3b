import { subjectName } from '../batch/records.ts'
import type { Failure } from '../failures/failure.ts'
import type { ItemRecord } from './events.ts'
import { printable } from './format/format.ts'
import type { Palette } from './terminal/color.ts'

/** A failure as text: what happened, to which file or request, and a hint. */
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

/** For an upload that does not exist, shows `slug: not found` instead of the request. */
function missingUpload(
  { code, httpStatus, request, serviceMessage }: Failure,
  name: string,
): { readonly place: string; readonly message: string } | undefined {
  const [, slug] = /\/api\/uploads\/([^/]+)$/.exec(request?.path ?? '') ?? []
  const isMissing = code === 'not-found' && (httpStatus === 404 || httpStatus === 410)
  if (!isMissing || slug === undefined) return undefined
  return { place: name === '' ? slug : name, message: `not found${serviceRemark(serviceMessage ?? '')}` }
}

/** The service's message, if it says more than "not found". PHP class names are cut to their last part. */
function serviceRemark(message: string): string {
  if (message === '' || /^not found\.?$/i.test(message)) return ''
  return ` (${message.replaceAll(/\[(?:\w+\\)+(\w+)\]/g, '[$1]')})`
}
