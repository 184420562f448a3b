import { getSystemErrorMap } from 'node:util'

/** What happens often, in words that need no second look. */
const plainReasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'part of its path is no folder',
  EISDIR: 'it is a folder',
  EEXIST: 'something else has that name',
}

/**
 * Why something failed, for a message that names the thing itself: what the system refused is told in words, without
 * the code, the call and the path that Node puts around them.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { errno = 0 }: NodeJS.ErrnoException = error
  const [code = '', words = error.message] = getSystemErrorMap().get(errno) ?? []
  return plainReasons[code] ?? words
}

/** The same of an error of which there is only the text that Node has made of it, as of a ledger's problem. */
export function reasonInText(text: string): string {
  const [, code = ''] = /^([A-Z][A-Z0-9]+): /.exec(text) ?? []
  const [, words] = [...getSystemErrorMap().values()].find(([name]) => name === code) ?? []
  return plainReasons[code] ?? words ?? text
}

/** The system's or Node's name for what went wrong, such as `ENOENT`; undefined where it has none. */
export function errorCodeOf(error: unknown): unknown {
  return Reflect.get(Object(error), 'code')
}
