import { type HttpHandler, HttpResponse, http } from 'msw'
import { invalidValue } from '../../src/checks/coded-error.ts'
import { checkOptions } from '../../src/checks/options.ts'
import { aText } from '../../src/checks/values.ts'
import { createEmulator, type Emulator } from '../emulator.ts'
import type { EmulatorOptions } from '../options.ts'
import { checkEmulatorOptions } from '../options.ts'

export interface EmulatorHandlersOptions {
  /** The service's address in the program under test, without a path. Default: `http://filehost.test`. */
  readonly baseUrl?: string | undefined
}

/**
 * MSW handlers that answer every request to one address with the emulator: its API, website and control API. In Node,
 * MSW intercepts the global fetch, node:http and everything built on these.
 *
 * @param source an emulator, which the caller closes; or options of one that is created for the first request and lives
 * until the process ends
 * @throws TypeError if `baseUrl` is not an http or https address or has a path
 */
export function emulatorHandlers(
  source: Emulator | EmulatorOptions = {},
  options: EmulatorHandlersOptions = {},
): HttpHandler[] {
  checkOptions('emulatorHandlers', options, { baseUrl: aText })
  if (!isEmulator(source)) checkEmulatorOptions('emulatorHandlers', source)
  const { baseUrl = 'http://filehost.test' } = options
  const origin = originOf(baseUrl)
  let emulator: Promise<Emulator> | undefined
  const opened = () => {
    emulator ??= isEmulator(source) ? Promise.resolve(source) : createEmulator(source)
    return emulator
  }
  const answer = async ({ request }: { readonly request: Request }): Promise<Response> => {
    const { fetch } = await opened()
    try {
      // MSW follows redirects itself, as the request wants it.
      return await fetch(request, { redirect: 'manual' })
    } catch (error) {
      // MSW would report an exception as a bug of the handler; an aborted fetch has already rejected.
      if (!request.signal.aborted && !isBrokenConnection(error)) throw error
      return HttpResponse.error()
    }
  }
  // A regular expression, because MSW decodes paths for string patterns and fails on malformed ones.
  return [http.all(new RegExp(`^${origin.replace(/[.[\]]/g, '\\$&')}/`), answer)]
}

function isEmulator(source: Emulator | EmulatorOptions): source is Emulator {
  if (source instanceof Promise) throw invalidValue('emulatorHandlers got a promise of an emulator: await it first')
  return typeof Object(source).fetch === 'function'
}

/** The error of fetch for a broken connection, which MSW would turn into a status 500. */
function isBrokenConnection(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'fetch failed'
}

function originOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
  throw invalidValue(`baseUrl must be an http or https address without a path, but got ${JSON.stringify(baseUrl)}`)
}
