import { spawn } from 'node:child_process'
import { type Clock, startTimer } from '../../../clock.ts'
import { counted } from '../../../protocol/quantities.ts'
import type { Environment } from '../../../system/environment.ts'
import { isNotFound } from '../../../system/program-lookup.ts'
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
  if (copy && texts.length > 0) await copyLinks(texts, context)
  const addresses = records.flatMap(({ upload }) => (upload === null ? [] : [upload.url]))
  if (open) await openPages(addresses, context)
}

const LONGEST_MS = 5_000

const NOT_INSTALLED = 'not installed'

/** With the first program that succeeds, else through the terminal. */
async function copyLinks(links: readonly string[], { io, clock, note, warn }: Context): Promise<void> {
  const text = links.join('\n')
  const count = counted(links.length, 'link')
  let problem = 'no clipboard found'
  for (const tool of clipboardTools(io.env)) {
    const reason = await feed(tool, text, io.env, clock)
    if (reason === undefined) return note(`Copied ${count} to the clipboard`)
    // Programs that are not installed are not worth a message.
    if (reason !== NOT_INSTALLED) problem = `${tool.command}: ${reason}`
  }
  const isTerminal = io.stderr.isTTY && io.env['TERM'] !== 'dumb'
  const sequence = clipboardSequence(text)
  const fail = (reason: string, hint: string) => warn({ message: `The links were not copied: ${reason}`, hint })
  if (!isTerminal) return fail(problem, 'Install wl-clipboard, xclip or xsel, or run fh in a terminal')
  if (sequence === undefined) return fail('they are too long for the terminal', 'Copy them from the output')
  // A terminal does not report whether it copied.
  io.stderr.write(sequence)
  note(`Sent ${count} to the terminal's clipboard`)
}

/** @returns the reason for a failure; undefined on success */
function feed(
  { command, args, encoding }: ClipboardTool,
  text: string,
  env: Environment,
  clock: Clock,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    // Some programs keep running to serve the clipboard. Ignoring their output lets fh end before them.
    const child = spawn(command, args, { env: { ...env }, stdio: ['pipe', 'ignore', 'ignore'] })
    const stopTimer = startTimer(clock, LONGEST_MS, () => child.kill())
    const end = (problem: string | undefined) => {
      stopTimer()
      resolve(problem)
    }
    child.once('error', (error: NodeJS.ErrnoException) => {
      end(isNotFound(error, command, env) ? NOT_INSTALLED : (error.code ?? error.message))
    })
    child.once('exit', (code, signal) => end(code === 0 ? undefined : `ended with ${code ?? signal}`))
    child.stdin?.on('error', () => {}).end(clipboardInput(text, encoding))
  })
}

export interface ClipboardTool {
  readonly command: string
  readonly args: readonly string[]
  readonly encoding: 'utf8' | 'utf16le'
}

/**
 * Clipboard programs to try, the most likely first. Over SSH, the remote machine's own programs are left out: only a
 * forwarded display reaches the user's clipboard.
 */
export function clipboardTools(env: Environment, platform: string = process.platform): readonly ClipboardTool[] {
  const remote = isSet(env['SSH_CONNECTION']) || isSet(env['SSH_TTY'])
  if (platform === 'darwin') return remote ? [] : [tool('pbcopy')]
  if (platform === 'win32') return remote ? [] : [windowsClip]
  return [
    ...(isSet(env['WAYLAND_DISPLAY']) ? [tool('wl-copy')] : []),
    ...(isSet(env['DISPLAY'])
      ? [tool('xclip', '-selection', 'clipboard'), tool('xsel', '--clipboard', '--input')]
      : []),
    // WSL can run the Windows program.
    ...(isSet(env['WSL_DISTRO_NAME']) && !remote ? [windowsClip] : []),
  ]
}

/** clip.exe reads UTF-8 as the system's code page, but recognises UTF-16 by its byte order mark. */
const windowsClip: ClipboardTool = { command: 'clip.exe', args: [], encoding: 'utf16le' }

function tool(command: string, ...args: readonly string[]): ClipboardTool {
  return { command, args, encoding: 'utf8' }
}

export function clipboardInput(text: string, encoding: ClipboardTool['encoding']): Buffer {
  return Buffer.from(encoding === 'utf16le' ? `\ufeff${text}` : text, encoding)
}

/** Terminals silently drop longer sequences. */
const LONGEST_BASE64 = 74_994

/** The escape sequence (OSC 52) that makes a terminal copy a text to its user's clipboard; undefined if too long. */
export function clipboardSequence(text: string): string | undefined {
  const base64 = Buffer.from(text).toString('base64')
  return base64.length > LONGEST_BASE64 ? undefined : `\u001b]52;c;${base64}\u0007`
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== ''
}
