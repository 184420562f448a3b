import { jsonOrText } from './copies.ts'
import { FieldProblem } from './problems.ts'

/** Reads the form. Empty fields are absent; `times` without a number means every time. */
export function faultIn(fields: Pick<FormData, 'get' | 'keys'>): unknown {
  const given = [...fields.keys()].filter((name) => String(fields.get(name)).trim() !== '')
  const match = ['method', 'path', 'account_id', 'nth']
  const values = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, givenIn(name, fields)]))
  const parameters = given.filter((name) => !match.includes(name) && name !== 'times')
  return {
    match: values(given.filter((name) => match.includes(name))),
    times: given.includes('times') ? givenIn('times', fields) : null,
    action: values(parameters),
  }
}

function givenIn(name: string, fields: Pick<FormData, 'get' | 'keys'>): unknown {
  const text = String(fields.get(name))
  if (name === 'body') return jsonOrText(text)
  if (name === 'headers') return headersIn(text)
  return name === 'method' || name === 'path' || name === 'type' ? text.trim() : numberOrText(text.trim())
}

/** Lines of `name: value`. */
function headersIn(text: string): Readonly<Record<string, string>> {
  const lines = text.split(/\r\n?|\n/).filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      if (colon === -1)
        throw new FieldProblem(
          'headers',
          `The field headers takes lines of "name: value", but got ${JSON.stringify(line)}`,
        )
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
    }),
  )
}

/** A number if the text is one; otherwise the text, for the control API to refuse in its words. */
export function numberOrText(text: string): number | string {
  return /^-?\d{1,17}(\.\d+)?$/.test(text) ? Number(text) : text
}
