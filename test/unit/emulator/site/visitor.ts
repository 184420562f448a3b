import { expect } from 'vitest'
import type { Emulator } from '../../../../emulator/index.ts'

type Fields = Readonly<Record<string, string>>

export interface Page {
  readonly status: number
  readonly headers: Headers
  /** Without the name of the note for the next page. */
  readonly location: string | undefined
  readonly text: string
  /** Opens the page that a form leads to. */
  next(): Promise<Page>
}

export type Browser = ReturnType<typeof browserOf>

/** A browser of the tests: keeps the session's cookie and sends forms with the token of the page they are on. */
export function browserOf(emulator: Emulator) {
  const jar = new Map<string, string>()
  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const call = async (path: string, init: RequestInit): Promise<Page> => {
    const headers = { Cookie: cookie(), ...init.headers }
    const reply = await emulator.fetch(new Request(`http://h${path}`, { redirect: 'manual', ...init, headers }))
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    const to = reply.headers.get('Location')
    const { pathname, search } = new URL(to ?? '', `http://h${path}`)
    const next = () => get(pathname + search)
    const location = to?.replace(/\?note=[\w-]{16}/, '')
    return { status: reply.status, headers: reply.headers, location, text: await reply.text(), next }
  }
  const get = (path: string, headers: Fields = {}) => call(path, { headers })
  const form = (fields: Fields | URLSearchParams) => ({ method: 'POST', body: new URLSearchParams(fields) })
  return {
    get,
    /** Sends a form of the page at `from` to its own address. */
    async post(path: string, fields: Fields, from = path): Promise<Page> {
      const token = tokenOf(await get(from), path)
      return call(path, form({ token, ...fields }))
    },
    /** Sends a form of the site without opening a page. */
    send: (path: string, fields: Fields | URLSearchParams, headers: Fields = { 'Sec-Fetch-Site': 'same-origin' }) =>
      call(path, { ...form(fields), headers }),
    /** The value of the cookie header. */
    cookie,
  }
}

/** The token of the page's form that goes to a path. */
export function tokenOf({ text }: Page, path: string): string {
  const action = `action="[./]*${path.slice(1)}"`
  const [, token] = new RegExp(`${action}[^>]*>\\s*<input type="hidden" name="token" value="([^"]+)"`).exec(text) ?? []
  expect(token, `the page has a form for ${path}`).toBeDefined()
  return token ?? ''
}

/** A browser that is signed in as the first account. */
export async function signedIn(emulator: Emulator): Promise<Browser> {
  const browser = browserOf(emulator)
  const reply = await browser.post('/login', { email: 'user@example.com', password: 'password' })
  expect(reply.status).toBe(303)
  return browser
}
