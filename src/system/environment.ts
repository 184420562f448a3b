import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** The variables of a process, as of `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What a variable holds, without quotes around it. */
export function readVariable(env: Environment, name: string): string | undefined {
  const value = env[name]
  return value && withoutQuotes(value)
}

/** A text without the quotes that `docker run --env-file` takes for a part of a value. No value of ours begins with one. */
export function withoutQuotes(text: string): string {
  const bare = text.trim()
  const [quote = ''] = bare
  return bare.length > 1 && /["']/.test(quote) && bare.endsWith(quote) ? bare.slice(1, -1) : text
}

/** The folder of the config file: FH_CONFIG_DIR, else `fh` in XDG_CONFIG_HOME (~/.config) or, on Windows, in APPDATA. */
export function configFolder(env: Environment, platform = process.platform, home = homeFolder(env, platform)): string {
  const named = readVariable(env, 'FH_CONFIG_DIR')
  if (named) return named
  if (platform === 'win32') return join(env['APPDATA'] || join(home, 'AppData', 'Roaming'), 'fh')
  return join(absolute(env['XDG_CONFIG_HOME']) ?? join(home, '.config'), 'fh')
}

/**
 * The folder for files that outlive a process: FH_STATE_DIR, else `fh` in XDG_STATE_HOME (~/.local/state) or, on Windows,
 * in LOCALAPPDATA. The command line and the library share it, so that they count together.
 */
export function stateFolder(env: Environment, platform = process.platform, home = homeFolder(env, platform)): string {
  const named = readVariable(env, 'FH_STATE_DIR')
  if (named) return named
  if (platform === 'win32') return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'fh')
  return join(absolute(env['XDG_STATE_HOME']) ?? join(home, '.local', 'state'), 'fh')
}

/**
 * HOME, else what the system has for the user. A relative or empty HOME, as in some jobs, would name a part of the working
 * folder, whose files may come from others. A user whom the system does not know, as in some containers, lives in `/`.
 */
function homeFolder(env: Environment, platform: NodeJS.Platform): string {
  try {
    return (platform === 'win32' ? homedir() : absolute(env['HOME'])) ?? userInfo().homedir
  } catch {
    return '/'
  }
}

/** The XDG specification says to ignore relative paths. */
function absolute(path = ''): string | undefined {
  return isAbsolute(path) ? path : undefined
}
