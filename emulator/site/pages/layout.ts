import type { HttpResponse } from '../../http.ts'
import { assetPath } from '../assets.ts'
import { type Html, html } from '../html/html.ts'
import { documentReply, type HtmlDocument, siteName } from '../html/html-document.ts'
import { type PlaceName, placePath } from '../site-routes.ts'
import { texts } from '../texts/language.ts'
import type { Visitor } from '../visitor.ts'
import { type FormProblem, formFor, problemNotice } from './form.ts'

/** A page of the site between its header and its end. */
export interface SitePage extends Pick<HtmlDocument, 'status'> {
  readonly script?: 'copy.js' | 'upload.js'
  /** In the tab, before the site's name. Default: the heading. */
  readonly title?: string
  readonly heading: string
  readonly content: Html
  /** Default: what the form before this page left for it. */
  readonly notice?: Html | undefined
  /** Why a form is shown again, of which nothing was saved: said above everything, and in the tab's title. */
  readonly problem?: FormProblem | undefined
  /** How the page is laid out. Default: as wide as the screen allows. */
  readonly look?: 'narrow' | 'landing'
  /** The place in the header's links that this page is. */
  readonly place?: PlaceName
}

export function sitePage(visitor: Visitor, page: SitePage): HttpResponse {
  const { heading, title = heading, content, place, problem, notice = visitor.note, look } = page
  const { say, root } = visitor
  const shownTitle = title === siteName ? title : `${title} · ${siteName}`
  return siteDocument(visitor, {
    ...page,
    // Its script takes the name of the note out of the address.
    script: page.script ?? (visitor.note && 'copy.js'),
    title: problem === undefined ? shownTitle : `${say.layout.error}: ${shownTitle}`,
    isPersonal: visitor.session !== undefined,
    content: html`<a class="skip" href="#main">${say.layout.skip}</a>
<header class="top">
<a class="home row" href="${root}">${mark}${siteName}</a>
<nav aria-label="${say.layout.siteLinks}">
${linksFor(visitor).map(([to, label]) => html`<a href="${root}${placePath(to)}"${to === place && html` aria-current="page"`}>${label}</a>\n`)}</nav>
${languageSwitch(visitor)}
${visitor.session !== undefined && accountOf(visitor, visitor.session.account.email)}
</header>
<main id="main" tabindex="-1"${look !== undefined && html` class="${look}"`}>
<h1>${heading}</h1>
${problem !== undefined && problemNotice(visitor, problem)}${notice}
${content}
</main>`,
  })
}

interface SiteDocument extends Omit<HtmlDocument, 'language' | 'icon' | 'stylesheet' | 'scripts'> {
  readonly script?: SitePage['script'] | undefined
}

/** A page with the site's own files. */
export function siteDocument({ language, root }: Visitor, page: SiteDocument): HttpResponse {
  const address = (...[name]: Parameters<typeof assetPath>) => `${root}${assetPath(name)}`
  const scripts = page.script === undefined ? [] : [address(page.script)]
  return documentReply({ ...page, language, icon: address('icon.svg'), stylesheet: address('site.css'), scripts })
}

/** The icon, drawn into the page: a picture of its own would be the first that a reader of the page finds. */
const mark = html`<svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#0b57d0"/><path d="M16 7v13m-6-7 6-6 6 6M8 25h16" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`

/** The places in the header, in order. */
function linksFor({ session, say: { layout } }: Visitor): readonly (readonly [PlaceName, string])[] {
  return session === undefined
    ? [['login', layout.signIn]]
    : [
        ['landing', layout.myFiles],
        ['key', layout.apiKey],
      ]
}

function accountOf(visitor: Visitor, email: string): Html {
  const fields = html`<bdi class="soft">${email}</bdi>
<button class="link">${visitor.say.layout.signOut}</button>`
  return formFor(visitor, { place: 'logout', className: 'row' }, fields)
}

/** A button that names the other language in that language. */
function languageSwitch(visitor: Visitor): Html {
  const other = visitor.language === 'en' ? 'ro' : 'en'
  const fields = { language: other, from: visitor.path }
  const button = html`<button class="link" lang="${other}">${texts[other].layout.thisLanguage}</button>`
  return formFor(visitor, { place: 'language', className: 'row', fields }, button)
}
