import type { HttpResponse } from '../../http.ts'
import type { UploadRecord } from '../../storage/record-types.ts'
import { refusalPage } from '../pages/errors.ts'
import { embedPage, filePage } from '../pages/file.ts'
import { notice } from '../pages/form.ts'
import { questionPage } from '../pages/question.ts'
import { forAccounts, type Place, redirect, type Visit } from '../place.ts'
import type { SignedIn, Visitor } from '../visitor.ts'

const file = seen((visitor, upload) => filePage(visitor, upload))

const embed = seen((visitor, upload) => embedPage(visitor, upload))

/** Sets the title of the visitor's own upload; an empty one clears it. */
const fileTitle = ofFile({
  post({ visitor, parameter: slug, form }, site) {
    const { file } = visitor.say
    const given = form.get('title') ?? ''
    const upload = site.service.publicUploads.find(slug)
    if (upload?.accountId !== visitor.session.accountId) return refusalPage(visitor, 'notFound')
    const changed = site.service.uploads.setTitle(visitor.session.accountId, slug, given)
    if (!('kind' in changed))
      return redirect(visitor, { place: 'file', parameter: slug, notice: notice(file.titleSaved) })
    const { kind } = changed
    if (kind === 'upload-not-found') return refusalPage(visitor, 'notFound')
    return filePage(visitor, upload, { given, problem: file.titleProblems[kind] })
  },
})

const fileDelete = ofFile({
  get({ visitor, parameter: slug }, { service: { publicUploads } }) {
    const upload = publicUploads.find(slug)
    if (upload?.accountId !== visitor.session.accountId) return refusalPage(visitor, 'notFound')
    const { file } = visitor.say
    const heading = file.deleteQuestion(upload.title ?? slug)
    const form = { place: 'fileDelete', parameter: slug } as const
    return questionPage(visitor, heading, [file.deleteExplained, file.deleteYes], { form, no: 'file' })
  },
  post({ visitor, parameter: slug }, { service: { uploads } }) {
    const upload = uploads.remove(visitor.session.accountId, slug)
    return 'kind' in upload
      ? refusalPage(visitor, 'notFound')
      : redirect(visitor, { place: 'landing', notice: notice(visitor.say.files.deleted) })
  },
})

/** A form of a file's page; its address alone leads to that page. */
function ofFile(place: Place<SignedIn>): Place {
  const toFile = ({ visitor, parameter }: Visit<SignedIn>) => redirect(visitor, { place: 'file', parameter })
  return forAccounts({ get: toFile, ...place })
}

/** A page of an upload; counts its view (spec 2.1), but for the page that answers a form. */
function seen(show: (visitor: Visitor, upload: UploadRecord) => HttpResponse): Place {
  return {
    get({ visitor, parameter }, { service: { publicUploads } }) {
      const upload = publicUploads.find(parameter)
      if (upload === undefined) return refusalPage(visitor, 'notFound')
      const isView = visitor.isLooking && visitor.note === undefined
      return show(visitor, isView ? publicUploads.countView(upload, 'page') : upload)
    },
  }
}

export const filePlaces = { file, embed, fileTitle, fileDelete }
