import type { Emulator, EmulatorOptions } from '../../../../emulator/index.ts'
import type { Upload } from '../../../../src/protocol/resources.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { emulated, json, type SendOptions, send } from '../emulated.ts'
import { browserOf } from './visitor.ts'

/** An account with a browser that is signed in to it. Its password is generated, so checking it takes no time. */
export async function ownAccount(options: EmulatorOptions = {}) {
  const emulator = await emulated(options)
  const { id, browser, api } = await anotherAccount(emulator)
  const upload = async (size = 1_536): Promise<Upload> =>
    (await json(api('POST', '/api/upload', fileForm(jpegBytes(size))))).upload
  return { emulator, id, browser, api, upload }
}

export async function anotherAccount(emulator: Emulator) {
  const { id, email, password, api_key } = emulator.control.accounts.create()
  const browser = browserOf(emulator)
  await browser.post('/login', { email, password })
  const api = (method: string, path: string, { headers, ...rest }: SendOptions = {}) =>
    send(emulator, method, path, { ...rest, headers: { ...headers, 'X-Api-Key': api_key } })
  return { id, browser, api }
}

/** A site request, without a key. */
export function visit(emulator: Emulator, url: string, init: RequestInit = {}): Promise<Response> {
  return emulator.fetch(new Request(new URL(url, 'http://h'), init))
}

/** What an HTML page shows, with plain blanks. */
export function plain(text: string): string {
  return text.replaceAll(/[\u00a0\u202f]/g, ' ')
}
