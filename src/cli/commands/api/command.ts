import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import {
  type Client,
  FileHostError,
  NotFoundError,
  TransportError,
  UnexpectedResponseError,
  UnknownOutcomeError,
} from '../../../index.ts'
import { createPageWatch } from '../../../internal.ts'
import { parseJson } from '../../../system/json.ts'
import { reasonOf } from '../../../system/system-errors.ts'
import { checkBaseUrl, readSetting } from '../../config/setting-values.ts'
import { CliError, usageError } from '../../failures/cli-error.ts'
import { readAll } from '../../input/stdin-text.ts'
import type { RawAnswer } from '../../output/events.ts'
import type { Context } from '../../run/context.ts'
import { nextPagePath, parseApiPath } from './api-path.ts'

export interface ApiOptions {
  readonly method: string
  readonly path: string
  /** Whether status and headers are printed too. */
  readonly include: boolean
  readonly paginate: boolean
  /** A file whose bytes are the body, `-` for standard input. */
  readonly input?: string | undefined
  /** Default: JSON where the body is JSON, else bytes of no known type. */
  readonly contentType?: string | undefined
}

/** Those that ask something of a path; CONNECT asks for a tunnel. */
const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

const defaults = { include: false, paginate: false } as const

export function register(command: Command, start: (options: ApiOptions) => void): void {
  command
    .description('Make a call of your own with the key: paced as all others, and a POST never repeated.')
    .argument('<method>', 'GET, POST, DELETE, …')
    .argument('<path>', 'such as /api/stats; /api is put in front where it is missing')
    .option('-i, --include', 'print the status and the headers too')
    .option('--paginate', 'follow the pages of a list; with --jsonl print its items')
    .option('--input <file>', 'send this file as the body; - for standard input')
    .option('--content-type <type>', 'what the body is (application/json where it is JSON)')
    .addHelpText('after', examples)
    .action((method: string, path: string, flags: Partial<ApiOptions>) => {
      start({ ...defaults, ...flags, method: method.toUpperCase(), path })
    })
}

const examples = `
Prints the body of every answer, a refusal's too; with --json an object of status, headers and body.
The path has to lie below /api of the base URL: the key goes nowhere else.

Examples:
  fh api GET stats
  fh api GET '/api/uploads?page=2' --include
  fh api GET uploads --paginate --jsonl | jq -r .slug
  fh api DELETE uploads/aB3dE6gH9j`

export async function run(options: ApiOptions, context: Context): Promise<void> {
  checkOptions(options)
  const client = await context.client()
  const baseUrl = readSetting(context.settings(), 'base_url', checkBaseUrl) ?? ''
  const first = parseApiPath(options.path, baseUrl)
  const body = options.input === undefined ? undefined : await readBody(options.input, context)
  const seen = new Set<string>()
  const watch = createPageWatch<unknown>((item) => JSON.stringify(Object(item).slug ?? item))
  for (let path: string | undefined = first; path !== undefined; ) {
    if (seen.has(path)) throw new CliError('pages-in-circles', `The pages of the list lead back to ${path}`)
    if (seen.size > 0) watch.assertEnds()
    seen.add(path)
    const answer = await call(client, path, body, options, context)
    const { data, last_page, next_page_url } = Object(answer.body)
    watch.take(Array.isArray(data) ? data : [], typeof last_page === 'number' ? last_page : undefined)
    const next = options.paginate ? next_page_url : undefined
    path = typeof next === 'string' ? nextPagePath(next, path, baseUrl) : undefined
  }
}

function checkOptions({ method, paginate, input, contentType }: ApiOptions): void {
  if (!methods.includes(method)) {
    throw usageError(`${JSON.stringify(method)} is no method of HTTP`, `Methods: ${methods.join(', ')}`)
  }
  if (paginate && method !== 'GET') throw usageError(`--paginate is for GET, not for ${method}`)
  if (input !== undefined && /^(GET|HEAD)$/.test(method))
    throw usageError(`${method} takes no body`, 'Leave out --input')
  if (contentType !== undefined && !/^[\x21-\x7e][\x20-\x7e]*$/.test(contentType)) {
    throw usageError(`--content-type: ${JSON.stringify(contentType)} is no type`, 'Such as application/json')
  }
}

async function call(
  client: Client,
  path: string,
  body: Buffer | undefined,
  { method, include, paginate, contentType }: ApiOptions,
  { reporter, interruption }: Context,
): Promise<RawAnswer> {
  const { error, ...answer } = await client
    .request(method, path, {
      signal: interruption.stopping,
      ...(body !== undefined && { body, contentType: contentType ?? usualType(body) }),
    })
    .catch((failure: unknown) => {
      throw method === 'POST' && mayHaveArrived(failure) ? unknownOutcome(failure) : failure
    })
  reporter.report({ type: 'answer-shown', answer, include, page: paginate })
  if (error !== undefined) throw withOwnHint(error)
  return answer
}

/** Whoever writes method and path themselves is not told to check the base URL. */
function withOwnHint(error: FileHostError): FileHostError {
  const { message, request, status, serviceMessage } = error
  const details = { request, status, serviceMessage }
  if (status === 404 && !(error instanceof NotFoundError)) {
    return new NotFoundError(message, { ...details, hint: 'Is the path one of the service?' })
  }
  if (status !== 405) return error
  return new UnexpectedResponseError(message, { ...details, hint: 'Is the method one that this path takes?' })
}

function mayHaveArrived(error: unknown): error is FileHostError {
  return error instanceof FileHostError && error.cause instanceof TransportError && error.cause.mayHaveArrived
}

function unknownOutcome(error: FileHostError): UnknownOutcomeError {
  const { request, message } = error
  return new UnknownOutcomeError(`${message}: what was asked for may have been done`, {
    request,
    hint: 'Look before asking for it again',
    cause: error,
  })
}

async function readBody(input: string, { io, interruption }: Context): Promise<Buffer> {
  if (input === '-') return await readAll(io.stdin, interruption.stopping)
  return await readFile(input).catch((error: unknown) => {
    throw usageError(
      `--input: ${input || '""'} cannot be read: ${reasonOf(error)}`,
      'Name a file, or - for standard input',
    )
  })
}

function usualType(body: Buffer): string {
  return parseJson(body.toString('utf8')) === undefined ? 'application/octet-stream' : 'application/json'
}
