import { spawnSync } from 'node:child_process'
import { counted } from '../../../protocol/quantities.ts'
import type { Environment } from '../../../system/environment.ts'
import { errorCodeOf } from '../../../system/system-errors.ts'
import type { Context } from '../../context/context.ts'
import type { ItemRecord } from '../../output/events.ts'
import { openPages } from '../../output/open-pages.ts'
import type { UploadOptions } from './upload-items.ts'

/** Copies the links of an upload to the clipboard and opens their pages in the browser. */
export async function copyAndOpen(
  { records, links }: { readonly records: readonly ItemRecord[]; readonly links: readonly (string | null)[] },
  { copy, open }: Pick<UploadOptions, 'copy' | 'open'>,
  context: Context,
): Promise<void> {
  // A stopped run ends without further actions.
  if (context.interruption.stopping.aborted) return
  const texts = links.filter((link) => link !== null)
  if (copy && texts.length > 0) copyLinks(texts, context)
  const addresses = records.flatMap(({ upload }) => (upload === null ? [] : [upload.url]))
  if (open) await openPages(addresses, context)
}

/** Terminals silently drop longer sequences. */
const LONGEST_BASE64 = 74_994

/** With the first program that succeeds, else through the terminal. */
function copyLinks(links: readonly string[], context: Context) {
  const { io, note, warn } = context
  const text = links.join('\n')
  const count = counted(links.length, 'link')
  let problem = 'no clipboard found'
  for (const tool of clipboardTools(io.env)) {
    const reason = feed(tool, text, context)
    if (reason === undefined) return note(`Copied ${count} to the clipboard`)
    // Programs that are not installed are not worth a message.
    if (reason !== 'ENOENT') problem = `${tool[0]}: ${reason}`
  }
  const base64 = Buffer.from(text).toString('base64')
  if (!io.stderr.isTTY || io.env['TERM'] === 'dumb' || base64.length > LONGEST_BASE64) {
    const hint = 'Install wl-clipboard, xclip or xsel, or run fh in a terminal'
    return warn({ message: `The links were not copied: ${problem}`, hint })
  }
  // OSC 52 makes a terminal copy a text to its user's clipboard; it does not report whether it did.
  io.stderr.write(`\u001b]52;c;${base64}\u0007`)
  note(`Sent ${count} to the terminal's clipboard`)
}

const LONGEST_MS = 5_000

/** Gives a program a text. @returns the reason for a failure; undefined on success */
function feed([command = '', ...args]: readonly string[], text: string, { io }: Context): string | undefined {
  // clip.exe reads UTF-8 as the system's code page, but recognises UTF-16 by its byte order mark.
  const input = command === 'clip.exe' ? Buffer.from(`\ufeff${text}`, 'utf16le') : text
  // Some programs keep running to serve the clipboard. Ignoring their output lets fh go on before they end.
  const { error, status, signal } = spawnSync(command, args, {
    ...{ env: { ...io.env }, input, timeout: LONGEST_MS },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  if (error !== undefined) return String(errorCodeOf(error))
  return status === 0 ? undefined : `ended with ${status ?? signal}`
}

/**
 * Clipboard programs to try, the most likely first. Over SSH, the remote machine's own programs are left out: only a
 * forwarded display reaches the user's clipboard.
 */
export function clipboardTools(env: Environment, platform: string = process.platform): readonly (readonly string[])[] {
  const own = (tool: string) => (env['SSH_CONNECTION'] || env['SSH_TTY'] ? [] : [[tool]])
  if (platform === 'darwin') return own('pbcopy')
  if (platform === 'win32') return own('clip.exe')
  const forX = [
    ['xclip', '-selection', 'clipboard'],
    ['xsel', '--clipboard', '--input'],
  ]
  // WSL can run the Windows program.
  return [
    ...(env['WAYLAND_DISPLAY'] ? [['wl-copy']] : []),
    ...(env['DISPLAY'] ? forX : []),
    ...(env['WSL_DISTRO_NAME'] ? own('clip.exe') : []),
  ]
}
