import { spawnSync } from 'node:child_process'
import type { Environment } from '../../../system/environment.ts'
import type { Context } from '../../context/context.ts'
import type { ItemRecord } from '../../output/events.ts'
import { notes } from '../../output/notes.ts'
import { openPages } from '../../output/open-pages.ts'
import type { UploadOptions } from './upload-items.ts'

/** Copies the links of an upload to the clipboard and opens their pages in the browser. */
export async function copyAndOpen(
  records: readonly ItemRecord[],
  links: readonly (string | null)[],
  { copy, open }: UploadOptions,
  context: Context,
): Promise<void> {
  // A stopped run ends without further actions.
  if (context.interruption.stopping.aborted) return
  const texts = links.filter((link) => link !== null)
  if (copy && texts.length > 0) copyLinks(texts, context)
  const addresses = records.flatMap(({ upload }) => (upload === null ? [] : [upload.url]))
  if (open) await openPages(addresses, context.warn)
}

/** With the first program that succeeds. */
function copyLinks(links: readonly string[], { io, note, warn }: Context): void {
  if (clipboardTools(io.env).some((tool) => isTaken(links.join('\n'), tool, io.env))) note(notes.copied(links.length))
  else {
    const tools = 'wl-clipboard, xclip or xsel copies them, over SSH through a forwarded display'
    warn({ message: notes.notDone('The links were', 'copied', `no program for the clipboard worked; ${tools}`) })
  }
}

const LONGEST_MS = 5_000

/** Gives a program a text. @returns whether it took all of it */
function isTaken(text: string, [command = '', ...args]: readonly string[], env: Environment): boolean {
  // clip.exe reads UTF-8 as the system's code page, but recognises UTF-16 by its byte order mark.
  const input = command === 'clip.exe' ? Buffer.from(`\ufeff${text}`, 'utf16le') : text
  // Some programs keep running to serve the clipboard. Ignoring their output lets fh go on before they end.
  const { status } = spawnSync(command, args, {
    ...{ env: { ...env }, input, timeout: LONGEST_MS },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  return status === 0
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
