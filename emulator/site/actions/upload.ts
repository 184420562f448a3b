import type { HttpReply } from '../../http-types.ts'
import type { FileProblem } from '../../service/file-rules.ts'
import { mostFiles, readFileForm } from '../forms/file-form.ts'
import { refusalPage } from '../pages/errors.ts'
import { notice, notices } from '../pages/form.ts'
import { type Place, redirect } from '../place.ts'
import { sizeText } from '../texts/quantities.ts'
import type { Visitor } from '../visitor.ts'

interface FileResult {
  readonly name: string
  /** Why the file was refused. */
  readonly problem?: string
}

/** Takes files by a form. */
export const uploadPlace: Place = {
  get: ({ visitor }) => redirect(visitor, { place: 'landing' }),
  async receive({ visitor, accepts }, site) {
    const { service, settings } = site
    const { say, session, request } = visitor
    if (session === undefined) return redirect(visitor, { place: 'login', notice: notice(say.login.needed) })
    const maxBytes = settings.current.max_file_size
    const results: FileResult[] = []
    const outcome = await readFileForm(request, maxBytes, {
      uploads: service.uploads,
      accepts,
      async take(name, file) {
        const made = await service.uploads.create(session.accountId, file)
        if (made.ok) results.push({ name })
        else if (made.refusal.kind === 'invalid-file') {
          const [problem] = made.refusal.problems
          const isEmpty = file.kind === 'file' && file.sizeBytes === 0
          results.push({ name, problem: isEmpty ? say.upload.problems.empty : problemText(visitor, problem) })
        }
      },
    })
    switch (outcome.kind) {
      case 'refused':
        return refusalPage(visitor, 'expiredForm')
      case 'unreadable':
        return refusalPage(visitor, 'unreadableForm')
      case 'too-large':
        return refusalPage(visitor, 'uploadTooLarge')
      case 'read':
        return answer(visitor, { results, ignored: outcome.ignored })
    }
  },
}

interface Sent {
  readonly results: readonly FileResult[]
  readonly ignored: number
}

function answer(visitor: Visitor, { results, ignored }: Sent): HttpReply {
  const { say } = visitor
  const stored = results.filter(({ problem }) => problem === undefined)
  const problems = [
    ...results.flatMap(({ name, problem }) => (problem === undefined ? [] : `${name}: ${problem}`)),
    ...(ignored === 0 ? [] : [say.upload.tooMany(mostFiles)]),
    ...(results.length === 0 ? [say.upload.problems.missing] : []),
  ]
  if (problems.length === 0) return redirect(visitor, { place: 'landing', notice: notice(say.files.uploaded) })
  const told = notices([
    ...(stored.length === 0 ? [] : [{ text: say.upload.stored(stored.length) }]),
    ...problems.map((text) => ({ text, kind: 'bad' as const })),
  ])
  return redirect(visitor, { place: 'landing', notice: told })
}

function problemText({ say, language }: Visitor, problem: FileProblem | undefined): string {
  if (problem === undefined) return say.upload.problems.incomplete
  return problem.kind === 'too-large'
    ? say.upload.tooLarge(sizeText(problem.maxBytes, language))
    : say.upload.problems[problem.kind]
}
