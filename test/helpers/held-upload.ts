import { mediaPath, uploadObject } from './media.ts'
import { stillTime } from './preload.ts'
import { createRig, type RigOptions } from './rig.ts'
import { answer, held, scriptedServer } from './scripted-server.ts'
import { openShell, openTerminal, type TerminalOptions } from './terminal.ts'

export const twoFiles = ['upload', '-j', '1', mediaPath('photo.jpg'), mediaPath('picture.png')]

interface HeldUploadOptions extends Omit<TerminalOptions, 'env'>, Pick<RigOptions, 'env'> {
  readonly args?: readonly string[]
  /** Files of the working folder. */
  readonly files?: Readonly<Record<string, Buffer>>
  /** What uploads are answered with. */
  readonly upload?: object
  /** Whether a shell runs the upload. */
  readonly inShell?: boolean
  /** What the terminal shows before the test goes on; nothing where no bars are expected. */
  readonly shows?: RegExp | null
}

/** An upload on a terminal that waits for the answer to its first file, for which the time stands still. */
export async function heldUpload({ args = twoFiles, files = {}, env, ...options }: HeldUploadOptions = {}) {
  const { upload = uploadObject, inShell = false, shows = /0\/2/, ...look } = options
  const first = held(201, { upload })
  const server = await scriptedServer(first.step, answer(201, { upload }))
  const rig = await createRig({ service: server, env: { FH_LIMITS: 'none', ...stillTime, ...env } })
  for (const [name, bytes] of Object.entries(files)) await rig.write(name, bytes)
  const terminal = inShell ? await openShell(rig, args) : openTerminal(rig, args, look)
  if (inShell) terminal.type('"$@"\r')
  await first.reached
  if (shows !== null) await terminal.shows(shows)
  return { rig, server, terminal, release: first.release }
}
