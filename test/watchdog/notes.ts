import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where the workers find the folder; they inherit it from the process that watches them. */
const variable = 'TEST_WATCHDOG_NOTES'

/** What a worker does, as it wrote it down before it began: a blocked process can no longer say so. */
export interface Note {
  /** The file and the full name of the test. */
  readonly test: string
  /** The test's own time limit, in milliseconds. */
  readonly timeoutMs: number
}

/** Makes the folder that workers started from now on write to; returns what removes it. */
export function keepNotes(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'test-watchdog-'))
  process.env[variable] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

/** Writes down, at once, what this worker begins, or that it has ended it. Does nothing in a run without a watchdog. */
export function writeNote(note: Note | null): void {
  const folder = process.env[variable]
  if (folder !== undefined) writeFileSync(join(folder, String(process.pid)), JSON.stringify(note))
}

/** The test that the worker is in; null between tests and before the first. */
export function readNote(pid: number): Note | null {
  try {
    return JSON.parse(readFileSync(join(process.env[variable] ?? '', String(pid)), 'utf8'))
  } catch {
    return null
  }
}
