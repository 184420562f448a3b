import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Environment } from './environment.ts'

/**
 * The folder for files that outlive a process: FH_STATE_DIR, else `fh` in XDG_STATE_HOME (~/.local/state) or, on Windows,
 * in LOCALAPPDATA. The command line and the library share it, so that they count together.
 */
export function stateFolder(env: Environment, platform: NodeJS.Platform = process.platform, home = homedir()): string {
  if (env['FH_STATE_DIR']) return env['FH_STATE_DIR']
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'fh')
  const base = env['XDG_STATE_HOME'] ?? ''
  // The XDG specification says to ignore relative paths.
  return join(isAbsolute(base) ? base : join(home, '.local', 'state'), 'fh')
}
