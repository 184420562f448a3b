import { defaultLimits, endpoints, type Upload } from '../../../index.ts'
import { counted } from '../../../protocol/quantities.ts'
import type { NameOf } from '../../../uploads/names.ts'
import { forecastBatch, readRunners } from '../../batch/forecast.ts'
import type { LookedUp } from '../../choice/names.ts'
import type { Credentials } from '../../config/connection.ts'
import { limitsOf } from '../../config/settings.ts'
import type { Context } from '../../context/context.ts'
import { formatByteSize, printable } from '../../format/format.ts'
import { costText, type DeletionPlan, isPaced } from '../../output/plan-text.ts'
import { uploadFacts } from '../../output/records.ts'
import { alignColumns } from '../../output/tables/columns.ts'
import { fitMiddle } from '../../output/terminal/terminal-text.ts'

/** The rows are: slug, type, size, age, name. */
const sizeColumn = 2
/** A service may send a title of any length. */
const NAME_WIDTH = 60
/** Of more uploads, a question shows the first ones: the rest would scroll away. */
const MOST_ROWS = 20

/**
 * The question before uploads are deleted, with the slugs that were not found, a row for each of the first uploads, and
 * what the deletion costs if it takes long; undefined if no upload was found.
 *
 * @param now epoch milliseconds
 */
export function deleteQuestion(found: LookedUp, nameOf: NameOf, now: number, plan?: DeletionPlan): string | undefined {
  const missing = [...found].flatMap(([slug, upload]) => (upload instanceof Error ? [printable(slug)] : []))
  const going = [...found].flatMap(([slug, upload]) => (upload instanceof Error ? [] : [{ slug, upload }]))
  const notFound = missing.length === 0 ? [] : [`Not found: ${missing.join(', ')}`]
  const [first] = going
  if (first === undefined) return undefined
  if (going.length === 1) {
    const name = nameShown(first.upload, nameOf)
    const details = [...(name === '' ? [] : [name]), ...uploadFacts(first.upload, now)].join(', ')
    return [...notFound, `Delete ${printable(first.slug)} (${details}) for good? [y/N] `].join('\n')
  }
  const rows = going
    .slice(0, MOST_ROWS)
    .map(({ slug, upload }) => [`  ${printable(slug)}`, ...uploadFacts(upload, now), nameShown(upload, nameOf)])
  const more = going.length - rows.length
  const bytes = going.reduce((sum, { upload }) => sum + upload.size, 0)
  const cost = plan?.endsAt === undefined ? [] : [costText(plan, now)]
  return [
    ...notFound,
    ...alignColumns(rows, { right: [sizeColumn] }),
    ...(more > 0 ? [`  and ${more.toLocaleString('en')} more; fh delete -n shows all`] : []),
    ...cost,
    `Delete ${counted(going.length, 'upload')} (${formatByteSize(bytes)}) for good? [y/N] `,
  ].join('\n')
}

/** Printable; empty where no name is known. */
export function nameShown(upload: Upload, nameOf: NameOf): string {
  return fitMiddle(printable(nameOf(upload) ?? ''), NAME_WIDTH)
}

/** The end of more is extrapolated: the forecast itself would take long. */
const MOST_FORECAST = 500
const DAY_MS = 86_400_000
/** A shorter deletion is not worth a forecast. */
const SHORTEST_FORECAST_MS = 20_000

/**
 * What deleting these uploads takes; those that are known not to exist do not count. Sends nothing.
 * @throws CliError of code `usage` if the limits never allow a deletion
 */
export async function planDeletions(
  slugs: readonly string[],
  found: LookedUp,
  credentials: Credentials,
  context: Context,
): Promise<DeletionPlan> {
  const there = slugs.flatMap((slug) => {
    const upload = found.get(slug)
    return upload instanceof Error ? [] : [upload]
  })
  const sizes = there.map((upload) => upload?.size)
  const count = there.length
  return {
    count,
    bytes: sizes.reduce((sum, size) => (sum === undefined || size === undefined ? undefined : sum + size), 0),
    units: count * endpoints.delete.cost,
    endsAt: count > 1 ? await endOf(count, credentials, context) : undefined,
  }
}

async function endOf(count: number, credentials: Credentials, context: Context): Promise<number | undefined> {
  const rows = (await readRunners(credentials, context))?.rows
  const now = context.clock.now()
  const forecast = Math.min(count, MOST_FORECAST)
  const parts = forecastBatch(Array(forecast).fill(0), { of: 'delete', jobs: 1, rows }, credentials, context)
  const last = parts.at(-1)
  if (last === undefined || !parts.some(isPaced)) return undefined
  const { day = defaultLimits.day } = limitsOf(context.settings())
  const wholeDays = day === null ? 0 : Math.floor((count * endpoints.delete.cost - 1) / day)
  const tookMs = Math.max(((last.endsAt - now) * count) / forecast, wholeDays * DAY_MS)
  return tookMs < SHORTEST_FORECAST_MS ? undefined : now + tookMs
}
