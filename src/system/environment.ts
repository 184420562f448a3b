/** The variables of a process, as of `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What a variable holds, without quotes around it. */
export function readVariable(env: Environment, name: string): string | undefined {
  const value = env[name]
  return value && withoutQuotes(value)
}

/** A text without the quotes that `docker run --env-file` takes for a part of a value. No value of ours begins with one. */
export function withoutQuotes(text: string): string {
  const bare = text.trim()
  const [quote = ''] = bare
  return bare.length > 1 && /["']/.test(quote) && bare.endsWith(quote) ? bare.slice(1, -1) : text
}
