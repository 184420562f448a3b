import { getSystemErrorMap } from 'node:util'

/** Plain words for frequent errors. */
const plainReasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'part of its path is no folder',
  EISDIR: 'it is a folder',
  EEXIST: 'something else has that name',
}

/**
 * Why something failed, for a message that names the file or folder itself: the system's words without the code, the call
 * and the path that Node adds.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { errno = 0 }: NodeJS.ErrnoException = error
  const [code = '', words = error.message] = getSystemErrorMap().get(errno) ?? []
  return plainReasons[code] ?? words
}

/** The same for the text of an error of Node, as in a ledger problem. */
export function reasonInText(text: string): string {
  const [, code = ''] = /^([A-Z][A-Z0-9]+): /.exec(text) ?? []
  const [, words] = [...getSystemErrorMap().values()].find(([name]) => name === code) ?? []
  return plainReasons[code] ?? words ?? text
}

/** The error's code, such as `ENOENT`; undefined without one. */
export function errorCodeOf(error: unknown): unknown {
  return Reflect.get(Object(error), 'code')
}
