import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { isNotFound } from '../../../src/system/program-lookup.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

/** Three folders for PATH: an empty one, one with a folder `tool`, one with a file `tool` that cannot be run. */
function folders() {
  const root = temporaryFolder()
  const [empty, withFolder, withFile] = [join(root, 'empty'), join(root, 'with-folder'), join(root, 'with-file')]
  for (const path of [empty, join(withFolder, 'tool'), withFile]) mkdirSync(path, { recursive: true })
  writeFileSync(join(withFile, 'tool'), 'text', { mode: 0o644 })
  return { empty, withFolder, withFile }
}

/** Whether a program counts as not found after a real attempt to start it. */
function isMissing(program: string, path: readonly string[]): boolean {
  const env = { PATH: path.join(delimiter) }
  const { error } = spawnSync(program, { env })
  expect(error).toBeDefined()
  return isNotFound(error, program, env)
}

test.skipIf(process.platform === 'win32')('a program is found in a folder of PATH, or by its own path', () => {
  const { empty, withFolder, withFile } = folders()
  expect(isMissing('tool', [empty, join(empty, 'gone')])).toBe(true)
  expect(isMissing('tool', [withFolder, empty])).toBe(true)
  expect(isMissing('tool', [withFolder, withFile])).toBe(false)
  const named = [join(withFile, 'tool'), join(withFolder, 'tool'), join(empty, 'tool')]
  expect(named.map((program) => isMissing(program, [empty]))).toEqual([false, false, true])
})

test('a program is found without a PATH if the system found it', () => {
  expect(isNotFound(Object.assign(new Error(), { code: 'EACCES' }), 'tool', {})).toBe(false)
})
