/** Minutes east of UTC by time zone and quarter of an hour, within which no zone changes. */
const knownOffsets = new Map<string, Map<number, number>>()
const quarterMs = 900_000

/** Quarters kept per zone; a year has 35,000. */
const maxKnownQuarters = 50_000

/** Creating a formatter and asking it for an offset are expensive. */
const formatters = new Map<string, Intl.DateTimeFormat>()

/** How many minutes a time zone is east of UTC at an instant. */
export function offsetAt(epochMs: number, timeZone: string): number {
  const quarters = knownOffsets.get(timeZone) ?? new Map<number, number>()
  knownOffsets.set(timeZone, quarters)
  const quarter = Math.floor(epochMs / quarterMs)
  const known = quarters.get(quarter)
  if (known !== undefined) return known
  if (quarters.size >= maxKnownQuarters) quarters.clear()
  const offset = askForOffset(epochMs, timeZone)
  quarters.set(quarter, offset)
  return offset
}

function askForOffset(epochMs: number, timeZone: string): number {
  const formatter = formatters.get(timeZone) ?? new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  formatters.set(timeZone, formatter)
  const name = formatter.formatToParts(epochMs).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? []
  if (sign === undefined) return 0
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}
