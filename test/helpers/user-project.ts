import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from './temporary-folder.ts'

/** A project of a user's own that has the built package installed, and some others. @returns its folder */
export function userProject(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(resolve('.'), join(folder, 'node_modules/filehost'))
  for (const name of ['vitest', 'msw', 'openapi-fetch']) {
    symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name))
  }
  for (const [name, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

/** Runs Node in the project. */
export function runNode(folder: string, ...args: readonly string[]) {
  const { NODE_OPTIONS: _, VITEST: _vitest, ...env } = process.env
  return promisify(execFile)(process.execPath, args, { cwd: folder, env: { ...env, NO_COLOR: '1' } })
}
