import { chmodSync, mkdirSync } from 'node:fs'

/**
 * Makes a folder for its owner's eyes only.
 * @param ours whether its place is of our choosing: one chosen by the user may serve others too, and keeps its permissions
 */
export function makePrivateFolder(folder: string, ours: boolean): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (ours) chmodSync(folder, 0o700)
}
