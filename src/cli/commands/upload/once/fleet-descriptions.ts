import type { Upload, UploadIntent } from '../../../../index.ts'
import { isObject, parseJson } from '../../../../protocol/json.ts'
import { isTooDeep } from '../../../../protocol/json-depth.ts'
import { isUpload } from '../../../journal/journal-facts.ts'
import { recordedFields } from '../../../output/fields.ts'

/** What the fleet's record says of an upload. */
export interface DescribedUpload {
  /** The base name of the file. */
  readonly name: string
  /** The type that was sent, if this is known. */
  readonly mimeType?: string | undefined
  readonly upload: Upload
}

export function describeUpload({ name, mimeType, upload }: DescribedUpload): string {
  const fields = Object.fromEntries(recordedFields.map((field) => [field, upload[field]]))
  return JSON.stringify({ name, ...(mimeType !== undefined && { mime_type: mimeType }), upload: fields })
}

/** Undefined for what another version wrote, or none of ours. */
export function parseDescription(text: string): DescribedUpload | undefined {
  const value = isTooDeep(text) ? undefined : parseJson(text)
  if (!isObject(value)) return undefined
  const { name, mime_type: mimeType, upload } = value
  if (typeof name !== 'string' || !isUpload(upload)) return undefined
  return { name, upload, ...(typeof mimeType === 'string' && { mimeType }) }
}

/** What an heir has to know of an upload: the fleet's clock tells when it began. */
export interface DescribedIntent {
  /** In bytes. */
  readonly size: number
  readonly mimeType: string
  readonly serviceStartedAt?: { readonly from: number; readonly to: number }
}

export function describeIntent({ size, mimeType, serviceStartedAt }: UploadIntent): string {
  return JSON.stringify({ size, mime_type: mimeType, ...(serviceStartedAt && { service: serviceStartedAt }) })
}

export function parseIntent(text: string): DescribedIntent | undefined {
  const value = isTooDeep(text) ? undefined : parseJson(text)
  if (!isObject(value)) return undefined
  const { size, mime_type: mimeType, service } = value
  if (typeof size !== 'number' || typeof mimeType !== 'string') return undefined
  const { from, to } = isObject(service) ? service : {}
  const isDated = typeof from === 'number' && typeof to === 'number'
  return { size, mimeType, ...(isDated && { serviceStartedAt: { from, to } }) }
}
