/**
 * The lines of a `.env` file. Its readers know no way to escape a quote, so a value is written with the kind of quote it
 * does not contain; plain words stay plain, because Docker takes quotes for a part of the value.
 */
export function dotenvLines(variables: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(variables).map(([name, value]) => `${name}=${dotenvValue(value)}`)
}

/** In the order in which they keep a text as it is: readers expand variables between double quotes. */
const quotes = ["'", '`', '"']

function dotenvValue(value: string): string {
  if (/^[\w@%+:./=,-]*$/.test(value)) return value
  const quote = quotes.find((candidate) => !value.includes(candidate)) ?? "'"
  return `${quote}${value}${quote}`
}
