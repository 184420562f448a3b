import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { thisProcess } from '../../src/system/process-identity.ts'

const { start } = thisProcess()

/**
 * Copies the files of a run that ended or was killed, for the next run. All runs of a scenario share this process, so the
 * copy names another process start: to the next run, the owner has ended.
 *
 * @param torn types of journal lines: a last line of one of them is cut in half
 */
export function copyAsAfterCrash(from: string, to: string, torn: readonly string[] = []): void {
  cpSync(from, to, { recursive: true })
  for (const entry of readdirSync(to, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const text = readFileSync(path, 'utf8').replaceAll(`"start":"${start}"`, '"start":"0"')
    writeFileSync(path, entry.name.endsWith('.journal') ? tear(text, torn) : text)
  }
}

function tear(text: string, torn: readonly string[]): string {
  const lastAt = text.trimEnd().lastIndexOf('\n') + 1
  const line = text.trimEnd().slice(lastAt)
  return torn.some((type) => line.startsWith(`{"type":"${type}"`)) ? text.slice(0, lastAt + (line.length >> 1)) : text
}
