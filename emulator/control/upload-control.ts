import type { Upload } from '../../src/protocol/resources.ts'
import { type PresentationContext, presentUpload } from '../http/presenters.ts'
import type { Uploads } from '../service/uploads.ts'
import { count, type PatchFields, parsePatch, textOrNull } from './patch.ts'

/** What the site's users and visitors change about an upload. */
export interface UploadPatch {
  readonly title?: string | null
  readonly views?: number
  readonly likes?: number
}

export interface UploadControl {
  /**
   * @returns the upload object as the API shows it
   * @throws MissingRecordError where there is no such upload; TypeError saying what a field takes
   */
  update(slug: string, patch: UploadPatch): Upload
}

const fields: PatchFields<UploadPatch> = { title: textOrNull, views: count, likes: count }

export function createUploadControl(uploads: Uploads, presentation: () => PresentationContext): UploadControl {
  return {
    update: (slug, patch) => presentUpload(uploads.update(slug, parsePatch(patch, fields)), presentation()),
  }
}
