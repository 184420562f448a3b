import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isNotFound } from '../../../src/system/program-lookup.ts'

/** Three folders for PATH: one is empty, one has a folder called tool, one a file called tool that may not be run. */
function folders() {
  const root = mkdtempSync(join(tmpdir(), 'program-lookup-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const [empty, withFolder, withFile] = [join(root, 'empty'), join(root, 'with-folder'), join(root, 'with-file')]
  for (const path of [empty, join(withFolder, 'tool'), withFile]) mkdirSync(path, { recursive: true })
  writeFileSync(join(withFile, 'tool'), 'text', { mode: 0o644 })
  return { empty, withFolder, withFile }
}

/** Whether a program is not found, by what the system says of it. */
function isMissing(program: string, path: readonly string[]): boolean {
  const env = { PATH: path.join(delimiter) }
  const { error } = spawnSync(program, { env })
  expect(error).toBeDefined()
  return isNotFound(error, program, env)
}

describe.skipIf(process.platform === 'win32')('a program', () => {
  test('is not found where no folder of PATH has anything of its name', () => {
    const { empty } = folders()
    expect(isMissing('tool', [empty, join(empty, 'gone')])).toBe(true)
  })

  test('is not found where a folder of PATH has a folder of its name', () => {
    const { empty, withFolder } = folders()
    expect(isMissing('tool', [withFolder, empty])).toBe(true)
  })

  test('is found where a folder of PATH has a file of its name that may not be run', () => {
    const { withFolder, withFile } = folders()
    expect(isMissing('tool', [withFolder, withFile])).toBe(false)
  })

  test('that is named by its path is found there, whatever PATH has', () => {
    const { empty, withFolder, withFile } = folders()
    const named = [join(withFile, 'tool'), join(withFolder, 'tool'), join(empty, 'tool')]
    expect(named.map((program) => isMissing(program, [empty]))).toEqual([false, false, true])
  })

  test('is found without a PATH where the system has found it', () => {
    expect(isNotFound(Object.assign(new Error(), { code: 'EACCES' }), 'tool', {})).toBe(false)
  })
})
