import { join } from 'node:path'
import type { Environment } from '../system/environment.ts'
import { stateFolder } from '../system/user-folders.ts'

/** Where this machine keeps what it has uploaded. */
export function uploadsPath(env: Environment): string {
  return join(stateFolder(env), 'uploads.db')
}
