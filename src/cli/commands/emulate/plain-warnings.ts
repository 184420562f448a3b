/**
 * Tells what the emulator warns of, such as an error that its client is not told, in its own words alone: Node would
 * print it with the number of the process and advice about its flags. Where Node is told to print none, none is.
 */
export function printPlainWarnings(print: (text: string) => void): void {
  if (process.listenerCount('warning') === 0) return
  process.removeAllListeners('warning')
  process.on('warning', ({ message }) => print(`fh: ${message}\n`))
}
