import type { ItemRecord } from '../../src/cli/output/events.ts'
import { contentName } from './files.ts'
import type { KillableRun } from './killable-run.ts'
import type { ScenarioFile } from './scenario.ts'

/** An upload as the service has it. */
export interface StoredFile {
  readonly slug: string
  readonly content: string
}

export interface Violation {
  readonly type: 'lost' | 'doubled' | 'mixed up' | 'wrongly reported'
  readonly what: string
}

/** A run that has ended, and what it said. */
export interface PlayedRun extends KillableRun {
  /** The files that it was given, in order. */
  readonly items: readonly ScenarioFile[]
  readonly from: 'path' | 'stdin' | 'url'
  readonly force: boolean
  readonly journal: boolean
}

export interface Evidence {
  readonly runs: readonly PlayedRun[]
  readonly stored: readonly StoredFile[]
  /** Each POST that the service stored: its run, and the file's name. */
  readonly sent: readonly { readonly run: number; readonly content: string }[]
  /** Slugs of uploads that were deleted between the runs. */
  readonly deleted?: ReadonlySet<string>
  /** Whether the service answers equal contents with one slug. */
  readonly sharesSlugs?: boolean
}

/** Compares what each run reported with what the service has. */
export function judge(evidence: Evidence): readonly Violation[] {
  return [...judgeLinks(evidence), ...judgeNumbers(evidence), ...evidence.runs.flatMap(judgeReport(evidence))]
}

/** After the last run: each file is there, and each slug that the folder knows is that of its content. */
export function judgeEnd(
  evidence: Evidence & { readonly known: readonly (readonly [content: string, slug: string])[] },
): readonly Violation[] {
  const { runs, known, stored } = evidence
  const last = runs.at(-1)
  const lost = (last?.items ?? []).flatMap((file, index) => {
    const { upload, status, error } = last?.records.get(index) ?? {}
    if (upload || status === 'unknown') return []
    return [{ type: 'lost' as const, what: `${contentName(file)}: the last run says ${error?.message ?? 'nothing'}` }]
  })
  const wrong = known.flatMap(([content, slug]) => judgeLink(content, slug, stored, 'the folder of the runs'))
  return [...lost, ...wrong]
}

function judgeLink(content: string, slug: string, stored: readonly StoredFile[], source: string): Violation[] {
  const upload = stored.find((candidate) => candidate.slug === slug)
  if (upload === undefined) return [{ type: 'lost', what: `${source} has ${content} as ${slug}, which does not exist` }]
  if (upload.content === content) return []
  return [{ type: 'mixed up', what: `${source} has ${content} as ${slug}, which is ${upload.content}` }]
}

/**
 * Each link leads to the file's bytes, and each upload is the answer to one file. Runs without a journal do not tell others
 * which upload is theirs, so two of them may name one that has the bytes of both.
 */
function judgeLinks({ runs, stored, deleted, sharesSlugs = false }: Evidence): readonly Violation[] {
  const owners = new Map<string, string>()
  return runs.flatMap(({ items, records, journal }, run) =>
    items.flatMap((file, index): readonly Violation[] => {
      const { upload, status } = records.get(index) ?? {}
      if (!upload || deleted?.has(upload.slug)) return []
      const place = `run ${run}, file ${index}`
      const violations = judgeLink(contentName(file), upload.slug, stored, place)
      if (status !== 'uploaded' || !journal || sharesSlugs) return violations
      const owner = owners.get(upload.slug)
      owners.set(upload.slug, place)
      if (owner === undefined) return violations
      return [...violations, { type: 'mixed up', what: `${upload.slug} was uploaded by ${owner} and by ${place}` }]
    }),
  )
}

/** A content is stored once, and once more for each file that was to be uploaded regardless. */
function judgeNumbers({ runs, stored }: Evidence): readonly Violation[] {
  const given = runs.flatMap((run) => run.items.map((file) => ({ run, content: contentName(file) })))
  return [...new Set(given.map(({ content }) => content))].flatMap((content): readonly Violation[] => {
    const of = given.filter((item) => item.content === content)
    // A file at a URL is sent as it comes, so nothing is compared before.
    const regardless = of.filter(({ run }) => run.force || !run.journal || run.from === 'url').length
    const most = regardless + (of.length > regardless ? 1 : 0)
    const count = stored.filter((upload) => upload.content === content).length
    return count <= most
      ? []
      : [{ type: 'doubled', what: `${content} is stored ${count} times, ${most} at most is right` }]
  })
}

/**
 * What a run stored it reports so, unless it does not know or was killed, or another run has taken it for its own upload of
 * the same content; and its exit code says the same.
 */
function judgeReport({ runs, sent }: Evidence) {
  const sentBy = (run: number, content: string) =>
    sent.filter((upload) => upload.run === run && upload.content.includes(`-${content}.`)).length
  const takenFrom = (run: number, content: string) =>
    runs.reduce((sum, { items, records }, other) => {
      const own = items.filter((file, at) => contentName(file) === content && records.get(at)?.status === 'uploaded')
      return other === run ? sum : sum + Math.max(own.length - sentBy(other, content), 0)
    }, 0)
  return ({ items, records, end, exitCode }: PlayedRun, run: number): readonly Violation[] => {
    if (end === 'killed') return []
    const reports = items.map((file, index) => ({ content: contentName(file), record: records.get(index) }))
    const contents = [...new Set(reports.map(({ content }) => content))]
    const untold = contents.flatMap((content): readonly Violation[] => {
      const of = reports.filter((report) => report.content === content)
      const count = sentBy(run, content) - takenFrom(run, content)
      const told = of.filter(({ record }) => record?.status === 'uploaded' || record?.status === 'unknown').length
      const failed = of.find(({ record }) => record === undefined || record.status === 'failed' || isNotStarted(record))
      if (count <= told || failed === undefined) return []
      const what = `run ${run} stored ${content} and says: ${failed.record?.error?.message ?? describe(end)}`
      return [{ type: 'wrongly reported', what }]
    })
    return [...untold, ...judgeExitCode(reports, exitCode, run)]
  }
}

function judgeExitCode(
  reports: readonly { readonly record: ItemRecord | undefined }[],
  exitCode: number | undefined,
  run: number,
): readonly Violation[] {
  const isDone = reports.every(({ record }) => record?.upload)
  const isUnknown = reports.some(({ record }) => record?.status === 'unknown')
  const isInterrupted = (exitCode ?? 0) > 128
  const isRight = isInterrupted || ((exitCode === 0) === isDone && (!isUnknown || exitCode === 8))
  if (isRight) return []
  return [
    { type: 'wrongly reported', what: `run ${run} ends with ${exitCode}, all done: ${isDone}, unknown: ${isUnknown}` },
  ]
}

function isNotStarted({ error }: ItemRecord): boolean {
  return error?.code === 'not-started'
}

function describe(end: KillableRun['end']): string {
  return typeof end === 'object' ? String(end.error) : 'nothing'
}

/** Without those that were found before. */
export function unique(violations: readonly Violation[]): readonly Violation[] {
  return [...new Map(violations.map((violation) => [violation.what, violation])).values()]
}
