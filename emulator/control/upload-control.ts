import type { Upload } from '../../src/protocol/resources.ts'
import type { Service } from '../service/service.ts'
import type { UploadRecord } from '../storage/record-store.ts'
import { count, type PatchField, type PatchFields, parsePatch, textOrNull } from '../values/patch.ts'

/** What the site's users and visitors change about an upload, and its thumbnail. */
export interface UploadPatch {
  readonly title?: string | null
  /** Views of the file itself, which an account's statistics add up; those of its pages begin again at none. */
  readonly views?: number
  readonly likes?: number
  /** `ready` makes it now, a grey rectangle where none can be made of the file; `none` drops it, and what is pending. */
  readonly thumbnail?: 'ready' | 'none'
}

export interface UploadControl {
  /**
   * @returns the upload object as the API shows it
   * @throws MissingRecordError where there is no such upload; TypeError saying what a field takes
   */
  update(slug: string, patch: UploadPatch): Promise<Upload>
}

const thumbnailState: PatchField<'ready' | 'none'> = {
  accepts: "'ready' or 'none'",
  accept: (value) => value === 'ready' || value === 'none',
}

const fields: PatchFields<UploadPatch> = { title: textOrNull, views: count, likes: count, thumbnail: thumbnailState }

/** @param present an upload as the API shows it */
export function createUploadControl(
  { uploads, thumbnails }: Service,
  present: (upload: UploadRecord) => Upload,
): UploadControl {
  return {
    async update(slug, patch) {
      const { thumbnail, ...changes } = parsePatch(patch, fields)
      const changed = uploads.update(slug, { ...changes, ...(changes.views !== undefined && { indirectViews: 0 }) })
      return present(thumbnail === undefined ? changed : await thumbnails.set(slug, thumbnail))
    },
  }
}
