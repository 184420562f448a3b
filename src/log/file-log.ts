import { anAmount, readJson, taggedOf } from '../checks/values.ts'
import type { AppendLog } from '../system/append-log.ts'
import { type Generations, readNewest } from './generations.ts'
import type { LineForm, Log, LogReader } from './log.ts'

/** Marks of the file itself, between the lines of the log. */
const mark = taggedOf('type', {
  /** The length of the file when it replaced its predecessor. */
  start: { bytes: anAmount },
  /** Later lines do not count: the log continues in the next file. */
  seal: {},
})

/** A file is compacted when it is longer than this and has doubled since it was created. */
const COMPACT_FROM_BYTES = 65_536

export interface FileLogOptions<Line> {
  readonly generations: Generations
  readonly form: LineForm<Line>
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly reader: LogReader<Line>
}

/** A log in files. All its calls throw the system's error where a file cannot be used. */
export function openFileLog<Line>({ generations, form, now, reader }: FileLogOptions<Line>): Log<Line> {
  let { generation, file } = generations.openNewest()
  let compactFromBytes = COMPACT_FROM_BYTES

  function take(text: string): void {
    const line = form.parse(text)
    const found = line === undefined ? readJson(mark, text) : undefined
    if (line !== undefined) reader.deliver(line)
    else if (found?.type === 'seal') continueInNext()
    else if (found?.type === 'start') compactFromBytes = Math.max(COMPACT_FROM_BYTES, 2 * found.bytes)
  }

  /** Any process that finds a seal creates the next file, since the one that sealed may have been killed. */
  function continueInNext(): void {
    const lines = form.compact(linesBeforeSeal(file.all(), form), now())
    generations.publish(generation + 1, contentOf(lines.map(form.format)))
    open()
  }

  function open(): void {
    file.close()
    const newest = generations.openNewest()
    generation = newest.generation
    file = newest.file
    compactFromBytes = COMPACT_FROM_BYTES
    reader.restart()
  }

  function read(): void {
    if (file.isLost()) open()
    for (let text = file.next(); text !== undefined; text = file.next()) take(text)
  }

  /** Whether a line appended to this file counts: after a seal it does not. */
  function readUpTo(own: string, added: AppendLog): boolean {
    for (let text = file.next(); text !== undefined; text = file.next()) {
      take(text)
      if (file !== added) return false
      if (text === own) return true
    }
    throw new Error('a line that was just written to it is missing')
  }

  return {
    read,
    append(line) {
      read()
      const own = form.format(line)
      for (;;) {
        const added = file
        const isFull = added.sizeBytes() > compactFromBytes
        added.append(isFull ? SEAL : own)
        if (isFull) read()
        else if (readUpTo(own, added)) return
      }
    },
    close: () => file.close(),
  }
}

const SEAL = JSON.stringify({ type: 'seal' })

/** The whole of a new file. */
function contentOf(lines: readonly string[]): string {
  const content = lines.map((line) => `${line}\n`).join('')
  return `${JSON.stringify({ type: 'start', bytes: content.length })}\n${content}`
}

/** The lines of a log that count; none where there is no file. Changes nothing. */
export function readFileLog<Line>(folder: string, form: LineForm<Line>): readonly Line[] {
  return linesBeforeSeal(readNewest(folder), form)
}

function linesBeforeSeal<Line>(texts: readonly string[], form: LineForm<Line>): readonly Line[] {
  const lines: Line[] = []
  for (const text of texts) {
    const line = form.parse(text)
    if (line !== undefined) lines.push(line)
    else if (readJson(mark, text)?.type === 'seal') break
  }
  return lines
}
