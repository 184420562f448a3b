import type { HttpReply } from '../../http-types.ts'
import type { UploadRecord } from '../../storage/record-types.ts'
import { isOutdated } from '../forms/form-basis.ts'
import { refusalPage } from '../pages/errors.ts'
import { embedPage, type FileState, filePage } from '../pages/file.ts'
import { notice } from '../pages/form.ts'
import { questionPage } from '../pages/question.ts'
import { forAccounts, type Place, redirect, type Visit } from '../place.ts'
import type { SignedIn, SiteContext, Visitor } from '../visitor.ts'

const file = seen((visitor, upload, site) => showFile(visitor, site, upload, {}))

const embed = seen((visitor, upload) => embedPage(visitor, upload))

/** Sets the title of the visitor's own upload; an empty one clears it. */
const fileTitle = ofFile({
  post({ visitor, parameter: slug, form }, site) {
    const { file, layout } = visitor.say
    const given = form.get('title') ?? ''
    const upload = site.service.publicUploads.find(slug)
    if (upload?.accountId !== visitor.session.accountId) return refusalPage(visitor, 'notFound')
    const title = upload.title ?? ''
    if (isOutdated(form, title, given.trim())) {
      return showFile(visitor, site, upload, { title: { given, problem: layout.changedMeanwhile(title) } })
    }
    const changed = site.service.uploadEdits.setTitle(visitor.session.accountId, slug, given)
    if (changed.ok) return redirect(visitor, { place: 'file', parameter: slug, notice: notice(file.titleSaved) })
    const { kind } = changed.refusal
    if (kind === 'upload-not-found') return refusalPage(visitor, 'notFound')
    return showFile(visitor, site, upload, { title: { given, problem: file.titleProblems[kind] } })
  },
})

/** Likes an upload, or takes the like back; the form says which, so sending it twice changes nothing. */
const fileLike = ofFile({
  post({ visitor, parameter: slug, form }, { service: { uploadEdits } }) {
    const { accountId } = visitor.session
    const isLike = form.get('like') === 'yes'
    const changed = isLike ? uploadEdits.like(accountId, slug) : uploadEdits.unlike(accountId, slug)
    return changed.ok
      ? redirect(visitor, { place: 'file', parameter: slug, at: 'like' })
      : refusalPage(visitor, 'notFound')
  },
})

/** Adds the visitor's own upload to an album, or takes it out. */
const fileAlbum = ofFile({
  post({ visitor, parameter: slug, form }, site) {
    const { albums, publicUploads } = site.service
    const { accountId } = visitor.session
    const id = Number(form.get('album'))
    const isAdded = form.get('do') === 'add'
    const changed = isAdded ? albums.add(accountId, id, [slug]) : albums.take(accountId, id, [slug])
    const said = notice(visitor.say.file[isAdded ? 'addedToAlbum' : 'takenFromAlbum'])
    if (changed.ok) return redirect(visitor, { place: 'file', parameter: slug, notice: said })
    const upload = publicUploads.find(slug)
    if (upload === undefined) return refusalPage(visitor, 'notFound')
    const problem = visitor.say.albums.problems[changed.refusal.kind]
    return showFile(visitor, site, upload, { notice: notice(problem, 'bad') })
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
  async post({ visitor, parameter: slug }, { service: { uploads } }) {
    const upload = await uploads.remove(visitor.session.accountId, slug)
    return upload.ok
      ? redirect(visitor, { place: 'landing', notice: notice(visitor.say.files.deleted) })
      : refusalPage(visitor, 'notFound')
  },
})

/** A form of a file's page; its address alone leads to that page. */
function ofFile(place: Place<SignedIn>): Place {
  const toFile = ({ visitor, parameter }: Visit<SignedIn>) => redirect(visitor, { place: 'file', parameter })
  return forAccounts({ get: toFile, ...place })
}

/** A page of an upload; counts its view (spec 2.1), but for the page that answers a form. */
function seen(show: (visitor: Visitor, upload: UploadRecord, site: SiteContext) => HttpReply): Place {
  return {
    get({ visitor, parameter }, site) {
      const { publicUploads } = site.service
      const upload = publicUploads.find(parameter)
      if (upload === undefined) return refusalPage(visitor, 'notFound')
      const isView = visitor.isLooking && visitor.note === undefined
      return show(visitor, isView ? publicUploads.countView(upload, 'page') : upload, site)
    },
  }
}

function showFile(visitor: Visitor, { service }: SiteContext, upload: UploadRecord, state: FileState): HttpReply {
  const isOwn = visitor.session?.accountId === upload.accountId
  return filePage(visitor, upload, { ...state, ...(isOwn && { albums: service.albums.of(upload.accountId) }) })
}

export const filePlaces = { file, embed, fileTitle, fileLike, fileAlbum, fileDelete }
