import type { Upload } from '../index.ts'

/** The fields that a journal of any version has of an upload; a field that the service gains later does not belong here. */
export const recordedFields = [
  'slug',
  'title',
  'url',
  'direct_url',
  'thumb_url',
  'mime_type',
  'size',
  'views',
  'likes',
  'created_at',
] as const satisfies readonly (keyof Upload)[]
