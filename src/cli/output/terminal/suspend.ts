import type { HostProcess } from '../../run/host.ts'

/** What draws on a terminal, and can give it back. */
export interface Drawing {
  /** Takes away what is drawn; the cursor is shown and long lines wrap again. */
  pause(): void
  /** Draws again. */
  resume(): void
}

/**
 * Gives the terminal back before the process is suspended (Ctrl-Z) or ends in a way that nobody foresaw, and draws again
 * when it goes on. Where nothing is drawn, both are as they would be.
 */
export function lendTerminal(host: HostProcess, drawing: Drawing): void {
  const giveBack = () => drawing.pause()
  const suspend = () => {
    drawing.pause()
    // Without a listener the signal does what it does by itself: what follows runs when the process goes on.
    host.off('SIGTSTP', suspend)
    host.kill(host.pid, 'SIGTSTP')
    host.on('SIGTSTP', suspend)
    drawing.resume()
  }
  host.on('SIGTSTP', suspend)
  // Before Node writes down what was thrown: what is drawn would be taken away over it.
  host.on('uncaughtExceptionMonitor', giveBack)
  host.on('exit', giveBack)
}
