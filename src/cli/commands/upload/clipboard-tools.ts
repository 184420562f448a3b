type Environment = Readonly<Record<string, string | undefined>>

/** A program that puts its standard input on the clipboard. */
export interface ClipboardTool {
  readonly command: string
  readonly args: readonly string[]
  /** What it takes its input to be. */
  readonly encoding: 'utf8' | 'utf16le'
}

/**
 * Programs that may be there, the likeliest first. Over SSH those of the machine itself would fill a clipboard nobody
 * sits at: only a display that was forwarded leads back to the user.
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
    // Linux on Windows has Windows' own.
    ...(isSet(env['WSL_DISTRO_NAME']) && !remote ? [windowsClip] : []),
  ]
}

/** It takes UTF-8 for the code page of the system, but knows UTF-16 by its mark. */
const windowsClip: ClipboardTool = { command: 'clip.exe', args: [], encoding: 'utf16le' }

function tool(command: string, ...args: readonly string[]): ClipboardTool {
  return { command, args, encoding: 'utf8' }
}

/** The bytes a program is handed. */
export function clipboardInput(text: string, encoding: ClipboardTool['encoding']): Buffer {
  return Buffer.from(encoding === 'utf16le' ? `\ufeff${text}` : text, encoding)
}

/** Terminals drop what is longer, without a word. */
const LONGEST_BASE64 = 74_994

/** What has a terminal put a text on the clipboard of whoever sits at it (OSC 52); undefined for one that is too long. */
export function clipboardSequence(text: string): string | undefined {
  const base64 = Buffer.from(text).toString('base64')
  return base64.length > LONGEST_BASE64 ? undefined : `\u001b]52;c;${base64}\u0007`
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== ''
}
