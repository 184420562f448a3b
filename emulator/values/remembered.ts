/** So few, and so short, that what strangers send fills no memory. */
const [mostRemembered, mostLetters] = [256, 16_384]

/** Remembers values by the text that determines them. */
export function createMemory<Value>(): (text: string, make: () => Value) => Value {
  const values = new Map<string, Value>()
  return (text, make) => {
    const known = values.get(text)
    if (known !== undefined) return known
    if (values.size >= mostRemembered) values.clear()
    const value = make()
    if (text.length <= mostLetters) values.set(text, value)
    return value
  }
}

/** A function of one text that remembers its answers: most requests ask what an earlier one has asked. */
export function remembered<Answer>(answerTo: (text: string) => Answer): (text: string) => Answer {
  const recall = createMemory<Answer>()
  return (text) => recall(text, () => answerTo(text))
}
