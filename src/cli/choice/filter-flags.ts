import type { Command } from 'commander'
import { mediaTypes } from '../../protocol/media-types.ts'

/** `olderThan`: of `fh delete` only; the same as `before` with a duration. */
const names = ['type', 'since', 'before', 'larger', 'smaller', 'name', 'olderThan'] as const

export type FilterFlags = { readonly [Name in (typeof names)[number]]?: string | undefined }

export const uploadTypes: readonly string[] = ['image', 'video', ...mediaTypes.map(({ mimeType }) => mimeType)]

/** Declares the filters that list, download and delete share. */
export function addFilterFlags(command: Command): Command {
  return command
    .optionsGroup('Which uploads:')
    .option('--type <type>', 'image, video, or one type such as image/png')
    .option('--since <when>', 'uploaded since: 7d (days back), 2026-11-20')
    .option('--before <when>', 'uploaded before: 12h, 2026-11-20T10:00')
    .option('--larger <size>', 'larger than this, such as 10MB')
    .option('--smaller <size>', 'smaller than this')
    .option('--name <glob>', "whose name matches, such as 'IMG_*.{jpg,png}'")
}

/** What people are told where a filter finds nothing. */
export const noMatch = 'No uploads match'

export function isFiltered(flags: FilterFlags): boolean {
  return names.some((name) => flags[name] !== undefined)
}
