import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { type Client, FileHostError, NotFoundError, TransportError, UnknownOutcomeError } from '../../index.ts'
import { nextPagePath, parseApiPath } from '../api-path.ts'
import { CliError, reasonOf, usageError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import type { RawAnswer } from '../events.ts'
import { checkBaseUrl, readSetting } from '../settings/setting-values.ts'
import { readAll } from '../stdin-text.ts'

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
  const { method, paginate } = options
  if (!/^[A-Z]+$/.test(method)) throw usageError(`${JSON.stringify(method)} is not a method`, 'Such as GET or DELETE')
  if (paginate && method !== 'GET') throw usageError('--paginate is for GET')
  if (options.input !== undefined && /^(GET|HEAD)$/.test(method)) throw usageError(`${method} takes no body`)
  const client = await context.client()
  const baseUrl = readSetting(context.settings(), 'base_url', checkBaseUrl) ?? ''
  const first = parseApiPath(options.path, baseUrl)
  const body = options.input === undefined ? undefined : await readBody(options.input, context)
  const seen = new Set<string>()
  for (let path: string | undefined = first; path !== undefined; ) {
    if (seen.has(path)) throw new CliError('pages-in-circles', `The pages of the list lead back to ${path}`)
    seen.add(path)
    const answer = await call(client, path, body, options, context)
    const next = paginate ? Object(answer.body).next_page_url : undefined
    path = typeof next === 'string' ? nextPagePath(next, path, baseUrl) : undefined
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
  if (error !== undefined) throw asNotFound(error)
  return answer
}

/** Whoever writes a path themselves is told that nothing is there, rather than to check the base URL. */
function asNotFound(error: FileHostError): FileHostError {
  if (error.status !== 404 || error instanceof NotFoundError) return error
  const { message, request, status, serviceMessage } = error
  return new NotFoundError(message, { request, status, serviceMessage, hint: 'Is the path one of the service?' })
}

function mayHaveArrived(error: unknown): error is FileHostError {
  return (
    error instanceof FileHostError && error.cause instanceof TransportError && error.cause.failure !== 'unreachable'
  )
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
    throw usageError(`--input: ${reasonOf(error)}`)
  })
}

function usualType(body: Buffer): string {
  try {
    JSON.parse(body.toString('utf8'))
    return 'application/json'
  } catch {
    return 'application/octet-stream'
  }
}
