import { chmodSync } from 'node:fs'
import { makePrivateFolder } from '../../system/private-folder.ts'

/**
 * Makes a folder for its owner's eyes only.
 * @param ours whether its place is of our choosing: one chosen by the user may serve others too, and keeps its permissions
 */
export function makeOwnFolder(folder: string, ours: boolean): void {
  makePrivateFolder(folder)
  if (ours) chmodSync(folder, 0o700)
}
