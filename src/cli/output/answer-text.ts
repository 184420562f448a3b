import { STATUS_CODES } from 'node:http'
import { printable, printableJson } from '../format/format.ts'
import type { CliEvent } from './events.ts'

/** An answer of `fh api` as text: with --include the status and headers, then the body. */
export function answerText({ answer, include }: Extract<CliEvent, { type: 'answer-shown' }>): string {
  const { status, headers, text } = answer
  const fields = Object.entries(headers).map(([name, value]) => `${printable(name)}: ${printable(value)}`)
  const head = include ? [`HTTP ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd(), ...fields, ''] : []
  const body = typeof answer.body === 'string' ? text.split('\n').map(printableLine).join('\n') : printableJson(text)
  return [...head, ...(body.trim() === '' ? [] : [body.trimEnd()])].join('\n')
}

/** The items of an answer for --jsonl: the entries of a page, else the whole body. */
export function answerItems(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body
  const { data } = Object(body)
  return Array.isArray(data) ? data : [body]
}

function printableLine(line: string): string {
  return line.replace(/\r$/, '').split('\t').map(printable).join('\t')
}
