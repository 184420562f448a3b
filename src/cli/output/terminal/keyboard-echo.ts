import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const STDERR = 2
/** The system stops a program that sets a terminal of others; fh waits for neither. */
const bounded = { encoding: 'utf8', timeout: 1_000, killSignal: 'SIGKILL' } as const

/**
 * Stops a terminal from showing what is typed, which would tear what is drawn on it. Ctrl-C and Ctrl-Z work as before, and
 * what was typed reaches the shell. Raw mode would do neither: Node would have to read the keyboard.
 *
 * @returns shows it again
 */
export function hideTyping(): () => void {
  // Windows shows only what a program reads. In the background the terminal belongs to another program.
  if (process.platform === 'win32' || !isInForeground() || !showsTyping()) return () => {}
  stty('-echo')
  return () => {
    if (isInForeground()) stty('echo')
  }
}

function stty(argument: string): string {
  return spawnSync('stty', [argument], { ...bounded, stdio: [STDERR, 'pipe', 'ignore'] }).stdout ?? ''
}

/** Another program may have hidden it already, and will show it again itself. */
function showsTyping(): boolean {
  return /\secho\s/.test(stty('-a'))
}

/** Setting a terminal from the background would stop this process. */
function isInForeground(): boolean {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(process.pid)], bounded)
    return stdout?.includes('+') === true
  }
  try {
    // After the name in parentheses: state, parent, group, session, terminal, group in the foreground (proc(5)).
    const status = readFileSync('/proc/self/stat', 'latin1')
    const [, , group, , , foreground] = status.slice(status.lastIndexOf(')') + 2).split(' ')
    return group === foreground
  } catch {
    return false
  }
}
