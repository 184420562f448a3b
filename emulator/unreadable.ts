const plainReasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read',
  EISDIR: 'it is a folder',
}

/** Why a file cannot be read, in plain words where there are any. */
export function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return ('code' in cause && plainReasons[String(cause.code)]) || cause.message
}
