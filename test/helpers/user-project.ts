import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from './temporary-folder.ts'

/** A project of a user's own that has the built package installed. */
export async function userProject(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const folder = temporaryFolder()
  await mkdir(join(folder, 'node_modules'))
  await symlink(resolve('.'), join(folder, 'node_modules/filehost'))
  await symlink(resolve('node_modules/vitest'), join(folder, 'node_modules/vitest'))
  await symlink(resolve('node_modules/msw'), join(folder, 'node_modules/msw'))
  await symlink(resolve('node_modules/openapi-fetch'), join(folder, 'node_modules/openapi-fetch'))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return folder
}

/** Runs Node in the project. */
export function runNode(folder: string, ...args: readonly string[]) {
  const { NODE_OPTIONS: _, VITEST: _vitest, ...env } = process.env
  return promisify(execFile)(process.execPath, args, { cwd: folder, env: { ...env, NO_COLOR: '1' } })
}
