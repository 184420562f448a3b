import type { Environment } from '../../../../system/environment.ts'
/** A program that puts its standard input on the clipboard. */
export interface ClipboardTool {
  readonly command: string
  readonly args: readonly string[]
  /** The encoding it expects on standard input. */
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

/** The bytes for a program's standard input. */
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
