import type { HttpResponse } from '../../http.ts'
import type { FileProblem } from '../../service/refusal.ts'
import type { UploadRecord } from '../../storage/record-types.ts'
import { mostFiles, readFileForm } from '../forms/file-form.ts'
import { html } from '../html/html.ts'
import { refusalPage } from '../pages/errors.ts'
import { notice } from '../pages/form.ts'
import { type Place, redirect } from '../place.ts'
import { sizeText } from '../texts/quantities.ts'
import type { Visitor } from '../visitor.ts'

interface FileResult {
  readonly name: string
  /** Absent if the file was refused. */
  readonly stored?: UploadRecord
  readonly problem?: string
}

/** Takes files by a form, or one by one from the page's script, which asks for JSON. */
export const uploadPlace: Place = {
  get: ({ visitor }) => redirect(visitor, { place: 'landing' }),
  async receive({ visitor, accepts }, site) {
    const { service, settings } = site
    const { say, session, request } = visitor
    if (session === undefined) return refusedReply(visitor, 401, say.login.needed)
    const maxBytes = settings.current.max_file_size
    const results: FileResult[] = []
    const outcome = await readFileForm(request, maxBytes, {
      uploads: service.uploads,
      accepts,
      async take(name, file) {
        const made = await service.uploads.create(session.accountId, file)
        if (!('kind' in made)) results.push({ name, stored: made })
        else if (made.kind === 'invalid-file') {
          const [problem] = made.problems
          const isEmpty = file.kind === 'file' && file.sizeBytes === 0
          results.push({ name, problem: isEmpty ? say.upload.problems.empty : problemText(visitor, problem) })
        }
      },
    })
    switch (outcome.kind) {
      case 'refused':
        return refusedReply(visitor, 419, say.errors.expiredFormExplained)
      case 'unreadable':
        return refusalPage(visitor, 'unreadableForm')
      case 'too-large':
        return refusedReply(visitor, 413, say.upload.tooLarge(sizeText(maxBytes, visitor.language)))
      case 'read':
        return answer(visitor, results, outcome.ignored)
    }
  },
}

/** @param ignored how many files were too many */
function answer(visitor: Visitor, results: readonly FileResult[], ignored: number): HttpResponse {
  const { say, root } = visitor
  const stored = results.flatMap((result) => result.stored ?? [])
  if (wantsJson(visitor)) {
    const files = results.map(({ name, stored, problem }) =>
      stored === undefined ? { name, problem } : { name, href: `${root}i/${stored.slug}` },
    )
    return jsonReply(200, { files })
  }
  const problems = [
    ...results.flatMap(({ name, problem }) => (problem === undefined ? [] : `${name}: ${problem}`)),
    ...(ignored === 0 ? [] : [say.upload.tooMany(mostFiles)]),
    ...(results.length === 0 ? [say.upload.problems.missing] : []),
  ]
  if (problems.length === 0) return redirect(visitor, { place: 'landing', notice: notice(say.files.uploaded) })
  const told = html`${stored.length > 0 && notice(say.upload.stored(stored.length))}
${problems.map((text) => notice(text, 'bad'))}`
  return redirect(visitor, { place: 'landing', notice: told })
}

function problemText({ say, language }: Visitor, problem: FileProblem | undefined): string {
  if (problem === undefined) return say.upload.problems.incomplete
  return problem.kind === 'too-large'
    ? say.upload.tooLarge(sizeText(problem.maxBytes, language))
    : say.upload.problems[problem.kind]
}

function wantsJson({ request }: Visitor): boolean {
  return (request.headers['accept'] ?? '').includes('application/json')
}

/** A form that was refused as a whole: the script shows the words beside the file, a visitor without it sees a page. */
function refusedReply(visitor: Visitor, status: 401 | 413 | 419, problem: string): HttpResponse {
  if (wantsJson(visitor)) return jsonReply(status, { problem })
  if (status !== 401) return refusalPage(visitor, status === 413 ? 'uploadTooLarge' : 'expiredForm')
  return redirect(visitor, { place: 'login', notice: notice(problem) })
}

function jsonReply(status: number, value: unknown): HttpResponse {
  const kept = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }
  const headers = { 'Content-Type': 'application/json', ...kept }
  return { status, headers, body: JSON.stringify(value) }
}
