import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { thisProcess } from '../../src/system/process-identity.ts'

const { start } = thisProcess()

/**
 * Copies what a run has written down so far, as the next run finds it. All runs of a plot are this one process, so in
 * the copy each was made by one that began at another time: it looks as if it had ended.
 *
 * @param torn the last line was being written when the run ended, if it is one of these
 */
export function copyAsLeft(from: string, to: string, torn: readonly string[] = []): void {
  cpSync(from, to, { recursive: true })
  for (const entry of readdirSync(to, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const text = readFileSync(path, 'utf8').replaceAll(`"start":"${start}"`, '"start":"0"')
    writeFileSync(path, entry.name.endsWith('.journal') ? tear(text, torn) : text)
  }
}

function tear(text: string, torn: readonly string[]): string {
  const lastAt = text.lastIndexOf('\n') + 1
  const line = text.slice(lastAt)
  return torn.some((type) => line.startsWith(`{"type":"${type}"`)) ? text.slice(0, lastAt + (line.length >> 1)) : text
}
