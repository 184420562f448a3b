import type { HttpReply } from '../../http-types.ts'
import type { AlbumProblem } from '../../service/albums.ts'
import type { AlbumRecord } from '../../storage/record-types.ts'
import { isOutdated } from '../forms/form-basis.ts'
import { pageOfList, pageOfUploads } from '../list-page.ts'
import { type AlbumState, albumAddPage, albumPage, albumsPage } from '../pages/albums.ts'
import { refusalPage } from '../pages/errors.ts'
import { notice } from '../pages/form.ts'
import { questionPage } from '../pages/question.ts'
import { forAccounts, type Place, redirect, type Visit } from '../place.ts'
import type { SignedIn, SiteContext } from '../visitor.ts'

const [nameField, fileField, allField] = ['name', 'file', 'all'] as const

/** All albums of the account; the form makes another. */
const albums = forAccounts({
  get: ({ visitor }, site) => showAlbums(visitor, site),
  post({ visitor, form }, site) {
    const given = form.get(nameField) ?? ''
    const made = site.service.albums.create(visitor.session.accountId, given)
    if (made.ok) return toAlbum(visitor, made.value.id, 'made')
    const problem = visitor.say.albums.problems[made.refusal.kind]
    return showAlbums(visitor, site, { given, problem })
  },
})

const album = ofAlbum({ get: ({ visitor, album }, site) => showAlbum(visitor, site, album) })

const albumName = ofAlbum({
  post({ visitor, album, form }, site) {
    const given = form.get(nameField) ?? ''
    if (isOutdated(form, album.name, given.trim())) {
      return showAlbum(visitor, site, album, {
        name: { given, problem: visitor.say.layout.changedMeanwhile(album.name) },
      })
    }
    const changed = site.service.albums.rename(visitor.session.accountId, album.id, given)
    if (changed.ok) return toAlbum(visitor, album.id, 'renamed')
    const problem = visitor.say.albums.problems[changed.refusal.kind]
    return showAlbum(visitor, site, album, { name: { given, problem } })
  },
})

/** Offers the account's files, and adds the chosen ones. */
const albumAdd = ofAlbum({
  get: ({ visitor, album }, site) => albumAddPage(visitor, album, pageOfUploads(visitor, site)),
  post({ visitor, album, form }, site) {
    const changed = site.service.albums.add(visitor.session.accountId, album.id, form.getAll(fileField))
    return changed.ok ? toAlbum(visitor, album.id, 'added') : refused(visitor, site, album, changed.refusal)
  },
})

/** Takes the chosen files out of the album, or all of them. */
const albumTake = ofAlbum({
  post({ visitor, album, form }, site) {
    const { accountId } = visitor.session
    const changed = form.has(allField)
      ? site.service.albums.empty(accountId, album.id)
      : site.service.albums.take(accountId, album.id, form.getAll(fileField))
    return changed.ok ? toAlbum(visitor, album.id, 'taken') : refused(visitor, site, album, changed.refusal)
  },
})

const albumRemove = ofAlbum({
  get: ({ visitor, album }) => {
    const { albums: say } = visitor.say
    const form = { place: 'albumRemove', parameter: `${album.id}` } as const
    const words = [say.removeExplained, say.removeYes] as const
    return questionPage(visitor, say.removeQuestion(album.name), words, { form, no: 'album' })
  },
  post({ visitor, album }, { service }) {
    service.albums.remove(visitor.session.accountId, album.id)
    return redirect(visitor, { place: 'albums', notice: notice(visitor.say.albums.removed) })
  },
})

export const albumPlaces = { albums, album, albumName, albumAdd, albumTake, albumRemove }

function showAlbums(visitor: SignedIn, { service }: SiteContext, name?: AlbumState['name']): HttpReply {
  const shown = pageOfList(visitor, service.albums.of(visitor.session.accountId))
  return albumsPage(visitor, shown, ({ uploads: [first = ''] }) => service.publicUploads.find(first), name)
}

function showAlbum(visitor: SignedIn, { service }: SiteContext, album: AlbumRecord, state: AlbumState = {}): HttpReply {
  const slugs = pageOfList(visitor, album.uploads)
  const items = slugs.items.flatMap((slug) => service.publicUploads.find(slug) ?? [])
  return albumPage(visitor, album, { ...slugs, items }, state)
}

function refused(visitor: SignedIn, site: SiteContext, album: AlbumRecord, { kind }: AlbumProblem): HttpReply {
  return showAlbum(visitor, site, album, { notice: notice(visitor.say.albums.problems[kind], 'bad') })
}

function toAlbum(visitor: SignedIn, id: number, done?: 'made' | 'renamed' | 'added' | 'taken'): HttpReply {
  const said = done && { notice: notice(visitor.say.albums[done]) }
  return redirect(visitor, { place: 'album', parameter: `${id}`, ...said })
}

type AlbumVisit = Visit<SignedIn> & { readonly album: AlbumRecord }

interface AlbumPlace {
  get?(visit: AlbumVisit, site: SiteContext): HttpReply
  post?(visit: AlbumVisit & Parameters<NonNullable<Place['post']>>[0], site: SiteContext): HttpReply
}

/** A place of one of the visitor's own albums; the address of a form alone leads to the album. */
function ofAlbum({ get = ({ visitor, album }) => toAlbum(visitor, album.id), post }: AlbumPlace): Place {
  const albumOf = ({ visitor, parameter }: Visit<SignedIn>, { service }: SiteContext) =>
    service.albums.find(visitor.session.accountId, /^\d{1,15}$/.test(parameter) ? Number(parameter) : 0)
  const withAlbum =
    <More>(act: (visit: AlbumVisit & More, site: SiteContext) => HttpReply) =>
    (visit: Visit<SignedIn> & More, site: SiteContext) => {
      const album = albumOf(visit, site)
      return album === undefined ? refusalPage(visit.visitor, 'notFound') : act({ ...visit, album }, site)
    }
  return forAccounts({ get: withAlbum(get), ...(post && { post: withAlbum(post) }) })
}
