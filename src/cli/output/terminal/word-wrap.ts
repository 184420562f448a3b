import { textWidth } from './terminal-text.ts'

/** Narrower lines would be harder to read than lines that the terminal breaks. */
const NARROWEST = 20
/** A longer text is data, not prose. */
const LONGEST_WRAPPED = 4_096

/**
 * What a user copies stays whole: commands of fh with their flags and values, a flag with its value, short quotations. All
 * else is broken at spaces.
 */
const units =
  /\bfh [a-z]+(?: (?:-{1,2}[a-z][\w-]*|[A-Z][A-Z_]+\b|set \w+|use\b|env\b|wait\b))*\S*|(?<=^|[\s(])-{1,2}[a-zA-Z][\w-]* [A-Z]{2,}\S*|"[^"\n]{1,40}"\S*|\S+/g

/**
 * Breaks a line at words, with the indentation of its start.
 * @param width in columns
 * @param whole a part that must not be broken, such as a file's name
 */
export function wrapWords(line: string, width: number, whole = ''): string {
  const room = Math.max(width, NARROWEST)
  if (line.length > LONGEST_WRAPPED || textWidth(line) <= room) return line
  const indentation = /^ */.exec(line)?.[0] ?? ''
  const lines: string[] = []
  let open = ''
  for (const unit of unitsOf(line.slice(indentation.length), whole)) {
    const longer = open === '' ? unit : `${open} ${unit}`
    if (open !== '' && indentation.length + textWidth(longer) > room) {
      lines.push(open)
      open = unit
    } else open = longer
  }
  return [...lines, open].map((text) => indentation + text).join('\n')
}

function unitsOf(text: string, whole: string): readonly string[] {
  const at = whole.includes(' ') ? text.indexOf(whole) : -1
  if (at === -1) return text.match(units) ?? []
  const before = text.slice(0, at)
  const after = text.slice(at + whole.length)
  const [rest = ''] = /^\S*/.exec(after) ?? []
  const head = before.match(units) ?? []
  const glued = /\S$/.test(before) ? (head.pop() ?? '') : ''
  return [...head, glued + whole + rest, ...(after.slice(rest.length).match(units) ?? [])]
}
