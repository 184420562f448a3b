import { type HttpHandler, HttpResponse, http } from 'msw'
import { createEmulator, type Emulator, type EmulatorOptions } from '../index.ts'

export interface EmulatorHandlersOptions {
  /** The address the program under test believes the service to have, without a path: `http://filehost.test` unless given. */
  readonly baseUrl?: string
}

/**
 * Handlers for MSW that answer every request to one address with the emulator: its API, its site and its control API.
 * They are for what MSW can see in Node: the global fetch, and node:http with what is built on it.
 *
 * @param source an emulator, which stays the caller's to close; or options of one that is made for the first request,
 * keeps its files in memory or below the temporary folder, and goes with the process
 * @throws TypeError where `baseUrl` is no http or https address, or has a path
 */
export function emulatorHandlers(
  source: Emulator | EmulatorOptions = {},
  { baseUrl = 'http://filehost.test' }: EmulatorHandlersOptions = {},
): HttpHandler[] {
  const origin = originOf(baseUrl)
  let emulator: Promise<Emulator> | undefined
  const opened = () => {
    emulator ??= isEmulator(source) ? Promise.resolve(source) : createEmulator(source)
    return emulator
  }
  const answer = async ({ request }: { readonly request: Request }): Promise<Response> => {
    const { fetch } = await opened()
    try {
      return await fetch(request)
    } catch (error) {
      // Whoever aborted has been told already, and MSW would call what is thrown here a mistake.
      if (!request.signal.aborted && !isBrokenConnection(error)) throw error
      return HttpResponse.error()
    }
  }
  // Not as text: MSW would decode the path itself, and fail where the service has an answer.
  return [http.all(new RegExp(`^${origin.replace(/[.[\]]/g, '\\$&')}/`), answer)]
}

function isEmulator(source: Emulator | EmulatorOptions): source is Emulator {
  return 'fetch' in source
}

/** What fetch itself says where a connection breaks; MSW would make an answer of status 500 of it. */
function isBrokenConnection(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'fetch failed'
}

function originOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
  throw new TypeError(`baseUrl is an http or https address without a path, but got ${JSON.stringify(baseUrl)}`)
}
