import { type HttpRequest, headerOf } from '../http-types.ts'

/** What tells one state of a file from another. */
export interface Validators {
  /** With its quotes. */
  readonly etag: string
  /** Epoch milliseconds; HTTP counts in seconds. */
  readonly modifiedAt: number
}

/** Whether the client has this very file already; its entity tags count more than its date. */
export function isUnchanged(request: HttpRequest, { etag, modifiedAt }: Validators): boolean {
  const tags = headerOf(request, 'if-none-match')
  if (tags !== undefined) return tags.trim() === '*' || tags.split(',').some((tag) => plainTag(tag) === etag)
  const since = Date.parse(headerOf(request, 'if-modified-since') ?? '')
  return wholeSeconds(modifiedAt) <= since
}

/** Whether the part a client asks for is a part of what it has the rest of. */
export function rangeApplies(request: HttpRequest, { etag, modifiedAt }: Validators): boolean {
  const condition = headerOf(request, 'if-range')?.trim()
  if (condition === undefined || condition === etag) return true
  // A weak tag promises nothing about single bytes, and a date is taken at its word or not at all.
  return !/^(W\/)?"/.test(condition) && Date.parse(condition) === wholeSeconds(modifiedAt)
}

function plainTag(tag: string): string {
  return tag.trim().replace(/^W\//, '')
}

function wholeSeconds(epochMs: number): number {
  return Math.floor(epochMs / 1_000) * 1_000
}
