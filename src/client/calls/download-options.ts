import { invalidValue } from '../../checks/coded-error.ts'
import { aFunction, aText, objectWith } from '../../checks/option-kinds.ts'
import { checkOptions, type OptionChecks } from '../../checks/options.ts'
import { kindOf } from '../../checks/quoted.ts'
import { callOptions, clock, maxWaitMs, retries, transport } from '../option-checks.ts'
import type { DownloadStart } from './download-start.ts'
import type { FileRequestOptions, ResumePoint } from './file-request.ts'

/** Where a download goes: a file, which may exist in part, or a stream. */
export interface DownloadTarget {
  /** How much is here already; called before every attempt. */
  resume(): ResumePoint
  /** Called before the bytes of an answer: they continue the target, or begin at 0 if the file has changed. */
  begin(start: DownloadStart): Promise<void>
  write(chunk: Uint8Array): Promise<void>
}

export interface DownloadOptions extends FileRequestOptions {
  /** How many failures in a row, without a byte of progress between them, are retried. Default: 5. */
  readonly retries?: number | undefined
  /** How long all waits that the site asks for may take together, without progress. Default: unlimited. */
  readonly maxWaitMs?: number | undefined
}

const downloadOptions: OptionChecks<DownloadOptions> = {
  ...callOptions,
  transport,
  clock,
  userAgent: aText,
  onEvent: aFunction,
  retries,
  maxWaitMs,
}

const downloadTarget = objectWith(['resume', 'begin', 'write'], 'a target with resume, begin and write')

/** @throws TypeError that says which argument is wrong */
export function checkDownload(url: unknown, target: unknown, options: unknown): void {
  if (!/^https?:/i.test(String(url)) || !URL.canParse(String(url))) {
    throw invalidValue('download takes an http or https URL first, such as the direct_url of an upload')
  }
  if (!downloadTarget.test(target)) {
    throw invalidValue(`download takes ${downloadTarget.accepts} second, but got ${kindOf(target)}`)
  }
  checkOptions('download', options, downloadOptions, { required: ['transport', 'clock'] })
}
