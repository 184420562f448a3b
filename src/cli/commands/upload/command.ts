import type { CommandResult, Context } from '../../context/context.ts'
import type { UploadCommandOptions } from './upload-flags.ts'

export { register } from './upload-flags.ts'

/** Loads what uploads only where there is something to run: help needs a fifth of the code. */
export async function run(options: UploadCommandOptions, context: Context): Promise<CommandResult> {
  return await (await import('./run-upload.ts')).runUpload(options, context)
}
