import { ArgumentError } from '../../src/checks/coded-error.ts'
import type { NewAccountFields } from '../control/account-control.ts'
import type { UploadBatch } from '../control/upload-batch.ts'
import type { SettingChanges } from '../settings/settings.ts'
import type { uploadDetails } from '../storage/record-types.ts'
import type { JsonFieldsOf } from '../values/codec.ts'

/** The initial state of an emulator, restored by every reset. */
export interface Seed {
  /** For editors; the emulator ignores it. */
  readonly $schema?: string
  /** The first is the emulator's first account. Default: one empty account. */
  readonly accounts?: readonly SeedAccount[]
  /** Initial settings; options and flags of the same name override them. */
  readonly settings?: SettingChanges
}

/** An account, with the fields of the control API. */
export interface SeedAccount extends NewAccountFields {
  readonly uploads?: SeedUploads | readonly SeedUploads[]
}

/** One upload of a file, or a batch of synthetic uploads. */
export type SeedUploads = SeedFile | UploadBatch

/** An upload of a file of this machine. Only a seed can name files; no HTTP call can. */
export interface SeedFile extends Partial<JsonFieldsOf<typeof uploadDetails>> {
  /** A path, relative to the seed file, or to the working folder if the seed is an object. */
  readonly file: string
  /** Default: random. */
  readonly slug?: string
  /** ISO 8601. Default: the moment at which the seed is applied. */
  readonly created_at?: string
}

/** A seed that cannot be used; the message names the place in it as a JSON pointer and what belongs there. */
export class SeedError extends ArgumentError<'invalid-seed'> {
  override readonly name = 'SeedError'

  constructor(message: string, options?: ErrorOptions) {
    super('invalid-seed', message, options)
  }
}

export function isSeedFile(uploads: SeedUploads): uploads is SeedFile {
  return 'file' in uploads
}
