import { type HttpRequest, headerOf } from '../http-types.ts'

/** Identifies one version of a file. */
export interface Validators {
  /** With its quotes. */
  readonly etag: string
  /** Epoch milliseconds; HTTP compares whole seconds. */
  readonly modifiedAt: number
}

/** Whether the client already has this version; entity tags take precedence over the date. */
export function isUnchanged(request: HttpRequest, { etag, modifiedAt }: Validators): boolean {
  const tags = headerOf(request, 'if-none-match')
  if (tags !== undefined) return tags.trim() === '*' || tags.split(',').some((tag) => plainTag(tag) === etag)
  const since = Date.parse(headerOf(request, 'if-modified-since') ?? '')
  return wholeSeconds(modifiedAt) <= since
}

/** Whether the requested range belongs to the version the client has. */
export function rangeApplies(request: HttpRequest, { etag, modifiedAt }: Validators): boolean {
  const condition = headerOf(request, 'if-range')?.trim()
  if (condition === undefined || condition === etag) return true
  // A weak tag says nothing about single bytes; a date must match exactly.
  return !/^(W\/)?"/.test(condition) && Date.parse(condition) === wholeSeconds(modifiedAt)
}

function plainTag(tag: string): string {
  return tag.trim().replace(/^W\//, '')
}

function wholeSeconds(epochMs: number): number {
  return Math.floor(epochMs / 1_000) * 1_000
}
