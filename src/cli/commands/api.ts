import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { parseJson } from '../../checks/json.ts'
import { assertPage } from '../../client/each-page.ts'
import { FileHostError, NotFoundError, UnexpectedResponseError, UnknownOutcomeError } from '../../client/errors.ts'
import { TransportError } from '../../client/transports/transport.ts'
import type { Client, ClientEvent, RawResponse, UploadPage } from '../../index.ts'
import { reasonOf } from '../../system/system-errors.ts'
import { readSetting } from '../config/settings.ts'
import type { Context, Start } from '../context/context.ts'
import { createGracefulCall } from '../context/interruption.ts'
import { usageError } from '../failures/cli-error.ts'
import { hints } from '../failures/hints.ts'
import { readAll } from '../input/stdin-text.ts'
import { answerItems, answerText } from '../output/wire-text.ts'

interface ApiOptions {
  readonly method: string
  readonly path: string
  readonly include?: true
  readonly paginate?: true
  /** Path of a file to send as the body; `-` for standard input. */
  readonly input?: string | undefined
}

/** All methods but CONNECT, which opens a tunnel. */
const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

export function register(command: Command, start: Start): void {
  command
    .description('Send a request of your own with the key, paced like all others.')
    .usage('[method] <path> [flags]')
    .argument('<path...>', 'such as stats, after a method if not GET')
    .option('-X, --method <method>', 'the method: GET, or POST with --input')
    .option('-i, --include', 'also print the status and the headers')
    .option('--paginate', 'follow the pages of a list; --jsonl prints its items')
    .option('--input <file>', 'send this file as the body, JSON or bytes; - for stdin')
    .addHelpText('after', examples)
    .action((words: readonly string[], flags: Partial<ApiOptions>) => {
      const options = readCall(words, flags)
      start((context) => callApi(options, context))
    })
}

/** @throws CliError of code `usage` */
function readCall([first = '', second, ...more]: readonly string[], flags: Partial<ApiOptions>): ApiOptions {
  const { method: flag, paginate, input } = flags
  if (more.length > 0) throw usageError('Too many arguments: api takes a method and a path')
  if (second !== undefined && flag !== undefined) {
    throw usageError(`The method is given twice: ${first} and --method ${flag}`)
  }
  if (second === undefined && methods.includes(first.toUpperCase())) throw usageError('Missing argument: path')
  const given = (second === undefined ? flag : first) ?? (input === undefined ? 'GET' : 'POST')
  const method = given.toUpperCase()
  if (!methods.includes(method)) {
    throw usageError(`${JSON.stringify(method)} is not an HTTP method`, hints.oneOf('Methods', methods))
  }
  if (paginate && method !== 'GET') throw usageError(`--paginate works only with GET, not with ${method}`)
  if (input !== undefined && /^(GET|HEAD)$/.test(method)) throw usageError(`${method} takes no body: leave out --input`)
  return { ...flags, method, path: second ?? first }
}

const examples = `
Prints the body of each answer, errors included; with --json an object of
status, headers and body. A POST is never repeated. The path must be below
/api of the base URL: the key is sent nowhere else.

Examples:
  fh api stats
  fh api '/api/uploads?page=2' --include
  fh api uploads --paginate --jsonl | jq -r .slug
  fh api DELETE uploads/aB3dE6gH9j`

async function callApi(options: ApiOptions, context: Context): Promise<void> {
  let onEvent: (event: ClientEvent) => void = () => {}
  const client = await context.client({ onEvent: (event) => onEvent(event) })
  const first = parseApiPath(options.path, readSetting(context.settings(), 'base_url') ?? '')
  const body = options.input === undefined ? undefined : await readBody(options.input, context)
  const place = new URL(first, 'http://path')
  let number = Math.max(Math.trunc(Number(place.searchParams.get('page'))) || 1, 1)
  for (let path = first; ; ) {
    using graceful = createGracefulCall(context.interruption)
    onEvent = graceful.onEvent
    const { error, ...answer } = await call(client, path, body, options.method, graceful.signal)
    const { text: _, ...shown } = answer
    const text = answerText(answer, options.include === true)
    context.print({ data: shown, text, items: answerItems(answer.body), isPart: options.paginate === true })
    if (error !== undefined) throw withoutHint(error)
    const page: Readonly<Record<string, unknown>> = Object(answer.body)
    if (!options.paginate) return
    if (typeof page['current_page'] === 'number') assertPage(number, page as unknown as UploadPage)
    if (typeof page['next_page_url'] !== 'string') return
    number += 1
    place.searchParams.set('page', String(number))
    path = `${place.pathname}${place.search}`
  }
}

async function call(
  client: Client,
  path: string,
  body: Buffer | undefined,
  method: string,
  signal: AbortSignal,
): Promise<RawResponse> {
  const isJson = body !== undefined && parseJson(body.toString('utf8')) !== undefined
  const content = body && { body, contentType: `application/${isJson ? 'json' : 'octet-stream'}` }
  return await client.request(method, path, { signal, ...content }).catch((failure: unknown) => {
    const cause = failure instanceof FileHostError ? failure.cause : undefined
    const isDoubtful = method === 'POST' && cause instanceof TransportError && cause.mayHaveArrived
    if (!isDoubtful) throw failure
    const { request, message } = failure as FileHostError
    const doubt = 'the request may have taken effect, so check before you send it again'
    throw new UnknownOutcomeError(`${message}: ${doubt}`, { request, cause: failure })
  })
}

/** Here the path or method is the likely mistake, not the base URL, as the library's hint says. */
function withoutHint(error: FileHostError): FileHostError {
  const { message, request, status, serviceMessage } = error
  const details = { request, status, serviceMessage }
  if (status === 404 && !(error instanceof NotFoundError)) return new NotFoundError(message, details)
  return status === 405 ? new UnexpectedResponseError(message, details) : error
}

const bodyLimit = { bytes: 2 ** 31, error: '--input: the body is larger than 2 GB' }

async function readBody(from: string, { io, interruption }: Context): Promise<Buffer> {
  if (from === '-') return await readAll(io.stdin, interruption.stopping, bodyLimit)
  return await readFile(from).catch((error: unknown) => {
    throw usageError(`--input: ${from || '""'} cannot be read: ${reasonOf(error)}`)
  })
}

/**
 * Reads the path of a raw call: `/api/stats`, `stats`, or a full URL such as `next_page_url`, of either scheme. It is
 * resolved as in every URL; what then is not below /api of the base URL is refused, since the key is sent nowhere else.
 *
 * @param baseUrl without trailing slash
 * @returns the path below the base URL, with its query
 * @throws CliError of code `usage`
 */
export function parseApiPath(text: string, baseUrl: string): string {
  const api = new URL(`${baseUrl}/api/`)
  const url = URL.parse(/^https?:/i.test(text) ? text : api.href + text.replace(/^\/?(api(\/|(?=[?#]|$)))?/, ''))
  if (url?.host !== api.host || !url.pathname.startsWith(api.pathname) || url.pathname === api.pathname) {
    const message = `${JSON.stringify(text)} is not below ${api.href}, and the key is sent nowhere else`
    throw usageError(message, hints.writeLike('/api/stats or stats'))
  }
  return `/api/${url.pathname.slice(api.pathname.length)}${url.search}`
}
