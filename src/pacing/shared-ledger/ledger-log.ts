import { compactLines } from './ledger-compaction.ts'
import type { LedgerFile } from './ledger-file.ts'
import type { LedgerGenerations } from './ledger-generations.ts'
import { formatLedgerLine, type LedgerLine, parseLedgerLine } from './ledger-line.ts'

/** The lines of a ledger in the one order in which all processes read them. */
export interface LedgerJournal {
  /** Delivers all lines that are new. */
  read(): void
  /** Adds a line and delivers all before it; the line itself is the next one to be read. */
  append(line: LedgerLine): void
  /** Absent where nothing is open, and where what was written would be lost. */
  close?(): void
}

export interface LedgerReader {
  deliver(line: LedgerLine): void
  /** All that was delivered is void: it will be delivered again, as far as it still matters. */
  restart(): void
}

/** A file is compacted when it is longer than this, and has doubled since it was made. */
const COMPACT_FROM_BYTES = 65_536

/**
 * A journal in files. All its calls throw what the system throws where a file cannot be used.
 *
 * @param now epoch milliseconds
 */
export function createFileJournal(
  generations: LedgerGenerations,
  now: () => number,
  reader: LedgerReader,
): LedgerJournal {
  let { generation, file } = generations.openNewest()
  let next: string | undefined
  let compactFromBytes = COMPACT_FROM_BYTES

  function take(text: string): void {
    const line = parseLedgerLine(text)
    if (line === undefined) return
    if (line.type === 'seal') continueInNext()
    else if (line.type === 'start') compactFromBytes = Math.max(COMPACT_FROM_BYTES, 2 * line.bytes)
    else reader.deliver(line)
  }

  /** Whoever finds a seal may make the next file: the one who sealed may have been killed since. */
  function continueInNext(): void {
    generations.publish(generation + 1, compacted(file.all(), now()))
    open()
  }

  function open(): void {
    file.close()
    const newest = generations.openNewest()
    generation = newest.generation
    file = newest.file
    next = undefined
    compactFromBytes = COMPACT_FROM_BYTES
    reader.restart()
  }

  function read(): void {
    if (file.isLost()) open()
    for (let text = next ?? file.next(); text !== undefined; text = file.next()) {
      next = undefined
      take(text)
    }
  }

  /** Whether a line that was added to this file counts: it does not behind a seal. */
  function readUpTo(own: string, added: LedgerFile): boolean {
    for (let text = next ?? file.next(); text !== undefined; text = file.next()) {
      next = undefined
      if (text === own && file === added) {
        next = text
        return true
      }
      take(text)
      if (file !== added) return false
    }
    throw new Error('what was written to it is not there')
  }

  return {
    read,
    append(line) {
      read()
      const own = formatLedgerLine(line)
      for (;;) {
        const added = file
        const isFull = added.sizeBytes() > compactFromBytes
        added.append(isFull ? sealLine : own)
        if (isFull) read()
        else if (readUpTo(own, added)) return
      }
    },
    close: () => file.close(),
  }
}

const sealLine = formatLedgerLine({ type: 'seal' })

/** What the next file begins with. */
function compacted(texts: readonly string[], now: number): string {
  const content = compactLines(linesBeforeSeal(texts), now)
    .map((line) => `${formatLedgerLine(line)}\n`)
    .join('')
  return `${formatLedgerLine({ type: 'start', bytes: content.length })}\n${content}`
}

/** The lines of a file that count. */
export function linesBeforeSeal(texts: readonly string[]): readonly LedgerLine[] {
  const lines = texts.flatMap((text) => parseLedgerLine(text) ?? [])
  const seal = lines.findIndex((line) => line.type === 'seal')
  return seal < 0 ? lines : lines.slice(0, seal)
}

/** A journal that nobody shares, for where there is no file. */
export function createMemoryJournal(reader: LedgerReader): LedgerJournal {
  let next: LedgerLine | undefined
  function read(): void {
    const line = next
    next = undefined
    if (line !== undefined) reader.deliver(line)
  }
  return {
    read,
    append(line) {
      read()
      next = line
    },
  }
}
