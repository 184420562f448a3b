import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Names the folder of notes; workers inherit it from the main process. */
const variable = 'TEST_WATCHDOG_NOTES'

/** The test a worker is in, written before the test begins: a blocked process cannot answer questions. */
export interface Note {
  /** The file and the full name of the test. */
  readonly test: string
  /** The test's own time limit, in milliseconds. */
  readonly timeoutMs: number
}

/** Makes the folder of notes for all workers started from now on. @returns a function that removes it */
export function keepNotes(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'test-watchdog-'))
  process.env[variable] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

/** Writes the test that this worker begins, or null after it. Does nothing without a watchdog. */
export function writeNote(note: Note | null): void {
  const folder = process.env[variable]
  if (folder !== undefined) writeFileSync(join(folder, String(process.pid)), JSON.stringify(note))
}

/** The test that a worker is in; null between tests. */
export function readNote(pid: number): Note | null {
  try {
    return JSON.parse(readFileSync(join(process.env[variable] ?? '', String(pid)), 'utf8'))
  } catch {
    return null
  }
}
