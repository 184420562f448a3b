import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js'
import { describeService } from '../../emulator/openapi/document.ts'
import { endpoints } from '../../src/protocol/endpoints.ts'
import { rateHeaders } from '../../src/protocol/rate-limits.ts'

/** The part of an answer that the document describes. */
export interface DescribedAnswer {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A change to the document: a path of property names and the new value. */
export type Amendment = readonly [at: readonly string[], value: unknown]

/** Checks answers against the OpenAPI document. */
export interface Description {
  /** Every answer in the document, such as `upload 201`. */
  readonly documented: readonly string[]
  /** Those seen so far. */
  readonly met: ReadonlySet<string>
  /** How an answer differs from the document; empty if it does not. */
  problemsOf(answer: DescribedAnswer): readonly string[]
}

interface Operation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, ResponseObject>>
}

interface ResponseObject {
  readonly headers?: Readonly<Record<string, object>>
  readonly content?: Readonly<Record<string, object>>
}

/** Answers to unknown paths or methods, which the document does not describe. */
const answersWithoutCall = [400, 404, 405]

/** @param amendments how a dialect changes the document */
export function createDescription(amendments: readonly Amendment[]): Description {
  const document = structuredClone(describeService())
  for (const [at, value] of amendments) amend(document, at, value)
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { uri: isUrl, 'date-time': isDateTime } })
  ajv.addSchema(document as AnySchema, 'service')
  const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>
  const operations = Object.values(paths).flatMap((operation) => Object.values(operation))
  const met = new Set<string>()

  const check = (at: readonly string[], value: unknown): readonly string[] => {
    const validate = ajv.getSchema(`service#/${at.map(pointerPart).join('/')}`)
    if (validate === undefined) return [`nothing at ${at.join(' ')}`]
    return validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
  }

  const checkHeaders = ({ headers = {} }: ResponseObject, answer: DescribedAnswer) =>
    Object.values(rateHeaders).flatMap((name) => {
      const value = answer.headers.get(name)
      if (value === null) return []
      if (headers[name] === undefined) return [`${name} is not described`]
      // A number or a date, but always text.
      const given = name !== rateHeaders.retryAfter && /^\d+$/.test(value) ? Number(value) : value
      const problems = check(['components', 'headers', name, 'schema'], given)
      return problems.map((problem) => `${name}: ${problem}`)
    })

  const checkBody = (at: readonly string[], { content = {} }: ResponseObject, answer: DescribedAnswer) => {
    if (answer.method === 'HEAD' || (answer.text === '' && Object.keys(content).length === 0)) return []
    const type = answer.headers.get('Content-Type')?.split(';')[0] ?? 'nothing'
    if (content[type] === undefined) return [`a body of ${type}`]
    return check(
      [...at, 'content', type, 'schema'],
      type === 'application/json' ? JSON.parse(answer.text) : answer.text,
    )
  }

  const problemsOfCall = (template: string, method: string, answer: DescribedAnswer) => {
    const operation = paths[template]?.[method]
    const response = operation?.responses[answer.status]
    if (operation === undefined || response === undefined) return [`no answer ${answer.status}`]
    met.add(`${operation.operationId} ${answer.status}`)
    const at = ['paths', template, method, 'responses', String(answer.status)]
    return [...checkHeaders(response, answer), ...checkBody(at, response, answer)]
  }

  return {
    documented: operations.flatMap(({ operationId, responses }) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
    ),
    met,
    problemsOf(answer) {
      const path = (answer.path.split('?')[0] ?? '').replace(/(?<=.)\/+$/, '')
      if (!path.startsWith('/api/') || answer.method === 'OPTIONS') return []
      const template = templateOf(path)
      const method = meantMethod(answer).toLowerCase()
      const isCall = template !== undefined && paths[template]?.[method] !== undefined && answer.status !== 400
      if (isCall) return problemsOfCall(template, method, answer)
      if (!answersWithoutCall.includes(answer.status)) return [`${answer.status} where there is no endpoint`]
      return answer.method === 'HEAD' ? [] : check(['components', 'schemas', 'Message'], JSON.parse(answer.text))
    },
  }
}

/** HEAD counts as GET, and a POST may name another method in its query. */
function meantMethod({ method, path }: DescribedAnswer): string {
  const [, named] = (method === 'POST' && /[?&]_method=([A-Z]+)/.exec(path)) || []
  return named ?? (method === 'HEAD' ? 'GET' : method)
}

function templateOf(path: string): string | undefined {
  if (/^\/api\/uploads\/[^/]+$/.test(path) && !/%2f/i.test(path)) return endpoints.show.path
  return Object.values(endpoints).find((endpoint) => endpoint.path === path)?.path
}

function amend(target: object, at: readonly string[], value: unknown): void {
  const [name = '', ...rest] = at
  const fields = target as Record<string, object | undefined>
  if (rest.length === 0) Object.assign(fields, { [name]: value })
  else {
    fields[name] ??= {}
    amend(fields[name], rest, value)
  }
}

function pointerPart(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function isUrl(text: string): boolean {
  return URL.canParse(text)
}

function isDateTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && Number.isFinite(Date.parse(text))
}
