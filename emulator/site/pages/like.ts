import { isLikedBy } from '../../service/upload-edits.ts'
import type { UploadRecord } from '../../storage/records.ts'
import { type Html, html } from '../html/html.ts'
import type { Visitor } from '../visitor.ts'
import { formFor } from './form.ts'

/** The button that likes a file, or takes the like back. */
export function likeForm(visitor: Visitor, upload: UploadRecord, accountId: number): Html {
  const { file } = visitor.say
  const isLiked = isLikedBy(upload, accountId)
  const fields = { like: isLiked ? 'no' : 'yes' }
  const button = html`<button class="quiet" id="like">${isLiked ? file.unlike : file.like}</button>`
  return formFor(visitor, { place: 'fileLike', parameter: upload.slug, className: 'row', fields }, button)
}
