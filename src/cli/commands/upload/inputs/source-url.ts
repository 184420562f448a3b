import { SourceError } from '../../../../index.ts'
import { nameInUrl } from '../../../../internal.ts'
import { shownFile } from '../../../format/format.ts'

/** An item that was given as an address. */
interface UrlItem {
  /** As it was given, without a password. */
  readonly file: string
  readonly url?: string
  readonly name?: string
  readonly problem?: SourceError
}

/** Two letters at least: `C://` is a drive of Windows. */
const address = /^([a-z][a-z\d+.-]+):\/\//i

/** Whether a text names a file on a site. A path of the same letters is written `./https://…`. */
export function isSiteUrl(text: string): boolean {
  return /^https?$/i.test(schemeOf(text) ?? '')
}

/** What comes before `://`; undefined for a path. */
export function schemeOf(text: string): string | undefined {
  return address.exec(text)?.[1]?.toLowerCase()
}

/** The item of a text with a scheme: an address that `fh` fetches, or what is wrong with it. */
export function urlItem(text: string): UrlItem {
  if (!isSiteUrl(text)) {
    const hint = schemeOf(text) === 'file' ? 'Give the path of the file' : 'Download it first, and upload the file'
    return refused(text, 'is an address that fh cannot fetch: only http and https', hint)
  }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return refused(text, 'is not a valid address')
  if (url.username !== '' || url.password !== '') {
    // It would stand in the list of processes, in the output and in the shell's history.
    return refused(text, 'has a user name or a password in it, which fh does not send', 'Download the file first')
  }
  url.hash = ''
  return { file: text, url: url.href, name: nameInUrl(url.href) }
}

function refused(text: string, words: string, hint?: string): UrlItem {
  const file = withoutUser(text)
  const message = `${shownFile(file)} ${words}`
  return { file, problem: new SourceError('unreadable', message, hint === undefined ? {} : { hint }) }
}

/** A password may hold any character, so where an invalid address ends its password, if it has one, is a guess. */
function withoutUser(text: string): string {
  if (URL.canParse(text)) {
    const { protocol, username, password, host, pathname, search } = new URL(text)
    return username === '' && password === '' ? text : `${protocol}//***@${host}${pathname}${search}`
  }
  const at = text.lastIndexOf('@')
  return at === -1 ? text : `${text.slice(0, text.indexOf('//'))}//***${text.slice(at)}`
}
