export class FieldProblem extends Error {
  override readonly name = 'FieldProblem'
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

/** The control API names fields in its words; of settings it names all that are wrong. A field of a field has its path. */
export function problemsIn(message: string, isField: (name: string) => boolean): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const text of message.split(/\. (?=The setting )/)) {
    const [, path = ''] = /\b(?:field|setting) ([\w.]+)/.exec(text) ?? []
    for (const name of [...path.split('.'), path]) if (isField(name)) found.set(name, text)
  }
  return found
}
