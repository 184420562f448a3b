import type { HttpReply } from '../http-types.ts'
import { html } from './html.ts'
import type { Language } from './language.ts'
import { words } from './messages.ts'
import { framedContent, pageReply, siteName } from './page.ts'

/** What is shown where there is no such file. */
export function notFoundPage(language: Language): HttpReply {
  const { notFound, notFoundExplained } = words[language]
  return refusalPage(404, language, [notFound, notFoundExplained])
}

/** What is shown to a method that changes things: the site's files are changed through the API. */
export function methodNotAllowedPage(language: Language): HttpReply {
  const { methodNotAllowed, methodNotAllowedExplained } = words[language]
  const reply = refusalPage(405, language, [methodNotAllowed, methodNotAllowedExplained])
  return { ...reply, headers: { ...reply.headers, Allow: 'GET, HEAD' } }
}

function refusalPage(status: number, language: Language, [heading, text]: readonly [string, string]): HttpReply {
  const content = framedContent(heading, '../', html`<p>${text}</p>`)
  return pageReply({ status, language, title: `${heading} · ${siteName}`, content })
}
