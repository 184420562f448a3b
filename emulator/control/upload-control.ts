import type { Upload } from '../../src/protocol/resources.ts'
import type { Service } from '../service/service.ts'
import { type UploadRecord, uploadDetails } from '../storage/record-types.ts'
import type { JsonFieldsOf } from '../values/codec.ts'
import { readFields } from '../values/reading.ts'
import { oneOf } from '../values/value-type.ts'

/** Changes to an upload that users and visitors of the website would make, and to its thumbnail. */
export interface UploadPatch extends Partial<JsonFieldsOf<typeof fields>> {}

const fields = {
  ...uploadDetails,
  /** Views of the file itself, which count in the account's statistics; views of its pages are set to zero. */
  views: uploadDetails.views,
  /** `ready` makes it now (a grey rectangle if the file has none to give); `none` removes it and cancels a pending one. */
  thumbnail: oneOf('ready', 'none'),
}

/** @param present an upload as the API shows it */
export function createUploadControl({ uploads, thumbnails }: Service, present: (upload: UploadRecord) => Upload) {
  return {
    /**
     * @returns the upload object as the API shows it
     * @throws MissingRecordError if there is no such upload; TypeError saying what a field takes
     */
    async update(slug: string, patch: UploadPatch): Promise<Upload> {
      const { thumbnail, ...changes } = readFields(patch, fields)
      const changed = uploads.update(slug, { ...changes, ...(changes.views !== undefined && { indirectViews: 0 }) })
      return present(thumbnail === undefined ? changed : await thumbnails.set(slug, thumbnail))
    },
  }
}

export type UploadControl = ReturnType<typeof createUploadControl>
