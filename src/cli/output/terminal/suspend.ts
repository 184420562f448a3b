import type { HostProcess } from '../../run/host.ts'

/** Something drawn on a terminal that can be removed and drawn again. */
export interface Drawing {
  /** Removes the drawing, shows the cursor and wraps long lines again. */
  pause(): void
  /** Draws again. */
  resume(): void
}

/**
 * Restores the terminal before the process is suspended (Ctrl-Z) or ends unexpectedly, and draws again when it
 * continues.
 */
export function lendTerminal(host: HostProcess, drawing: Drawing): void {
  const restore = () => drawing.pause()
  const suspend = () => {
    drawing.pause()
    // Without a listener the signal suspends the process; the next lines run when it continues.
    host.off('SIGTSTP', suspend)
    host.kill(host.pid, 'SIGTSTP')
    host.on('SIGTSTP', suspend)
    drawing.resume()
  }
  host.on('SIGTSTP', suspend)
  // Before Node prints the exception, since removing the drawing later would erase it.
  host.on('uncaughtExceptionMonitor', restore)
  host.on('exit', restore)
}
