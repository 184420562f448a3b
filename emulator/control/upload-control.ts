import type { Upload } from '../../src/protocol/resources.ts'
import type { Service } from '../service/service.ts'
import type { UploadRecord } from '../storage/record-store.ts'
import { type FieldTypes, readFields } from '../values/fields.ts'
import { count, oneOf, orNull, text } from '../values/value-type.ts'

/** Changes to an upload that users and visitors of the website would make, and to its thumbnail. */
export interface UploadPatch {
  readonly title?: string | null
  /** Views of the file itself, which count in the account's statistics; views of its pages are set to zero. */
  readonly views?: number
  readonly likes?: number
  /** `ready` makes it now (a grey rectangle if the file has none to give); `none` removes it and cancels a pending one. */
  readonly thumbnail?: 'ready' | 'none'
}

export interface UploadControl {
  /**
   * @returns the upload object as the API shows it
   * @throws MissingRecordError if there is no such upload; TypeError saying what a field takes
   */
  update(slug: string, patch: UploadPatch): Promise<Upload>
}

const fields = {
  title: orNull(text),
  views: count,
  likes: count,
  thumbnail: oneOf('ready', 'none'),
} satisfies FieldTypes<UploadPatch>

/** @param present an upload as the API shows it */
export function createUploadControl(
  { uploads, thumbnails }: Service,
  present: (upload: UploadRecord) => Upload,
): UploadControl {
  return {
    async update(slug, patch) {
      const { thumbnail, ...changes } = readFields(patch, fields)
      const changed = uploads.update(slug, { ...changes, ...(changes.views !== undefined && { indirectViews: 0 }) })
      return present(thumbnail === undefined ? changed : await thumbnails.set(slug, thumbnail))
    },
  }
}
