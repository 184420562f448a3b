import type { NewAccountFields } from '../control/account-patch.ts'
import type { UploadBatch } from '../control/upload-batch.ts'
import type { SettingChanges } from '../settings/settings.ts'

/** What is there at the start, and again after a reset. */
export interface Seed {
  /** Where editors find the schema; means nothing here. */
  readonly $schema?: string
  /** The first of them is the emulator's first account; one is made where there is none. */
  readonly accounts?: readonly SeedAccount[]
  /** Settings to begin with; options and flags of the same name outdo them. */
  readonly settings?: SettingChanges
}

/** An account with the fields the control API creates and changes accounts with. */
export interface SeedAccount extends NewAccountFields {
  readonly uploads?: SeedUploads | readonly SeedUploads[]
}

/** One upload of a file, or many that nobody sent. */
export type SeedUploads = SeedFile | UploadBatch

/** An upload of a file of this machine. Only a seed names files: nothing that comes over HTTP does. */
export interface SeedFile {
  /** Its path: relative to the seed file, or to the working folder where the seed is no file. */
  readonly file: string
  /** Made up unless given. */
  readonly slug?: string
  readonly title?: string | null
  readonly views?: number
  readonly likes?: number
  /** ISO 8601; the moment of planting unless given. */
  readonly created_at?: string
}

export function isSeedFile(uploads: SeedUploads): uploads is SeedFile {
  return 'file' in uploads
}
