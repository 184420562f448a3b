import { aNumber, anObjectOf, aText, ifSound, readJson } from '../../../../checks/values.ts'
import type { Upload, UploadIntent } from '../../../../index.ts'
import { isTooDeep } from '../../../../protocol/json-depth.ts'
import { keptUpload } from '../../../journal/journal-facts.ts'
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

const description = anObjectOf({ name: aText, mime_type: ifSound(aText), upload: keptUpload })

/** Undefined for what another version wrote, or none of ours. */
export function parseDescription(json: string): DescribedUpload | undefined {
  if (isTooDeep(json)) return undefined
  const read = readJson(description, json)
  return read && { name: read.name, mimeType: read.mime_type, upload: read.upload }
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

const intent = anObjectOf({
  size: aNumber,
  mime_type: aText,
  service: ifSound(anObjectOf({ from: aNumber, to: aNumber })),
})

export function parseIntent(json: string): DescribedIntent | undefined {
  const read = readJson(intent, json)
  if (read === undefined) return undefined
  const { size, mime_type: mimeType, service } = read
  return { size, mimeType, ...(service && { serviceStartedAt: service }) }
}
