import type { HttpReply } from '../../http-types.ts'
import type { UploadRecord } from '../../storage/records.ts'
import { refusalPage } from '../pages/errors.ts'
import { embedPage, filePage } from '../pages/file.ts'
import type { Place } from '../place.ts'
import type { Visitor } from '../visitor.ts'

export const filePlace = uploadPlace(filePage)
export const embedPlace = uploadPlace(embedPage)

/** Shows an upload by its slug and counts the view of the page (spec 2.1). */
function uploadPlace(show: (visitor: Visitor, upload: UploadRecord) => HttpReply): Place {
  return {
    get({ visitor, parameter }, { service: { publicUploads } }) {
      const upload = publicUploads.find(parameter)
      if (upload === undefined) return refusalPage(visitor, 'not-found')
      return show(visitor, visitor.isLooking ? publicUploads.countView(upload, 'page') : upload)
    },
  }
}
