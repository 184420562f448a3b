/** So few, and so short, that what strangers send fills no memory. */
const [mostRemembered, mostLetters] = [256, 16_384]

/** A function of one text that remembers its answers: most requests ask what an earlier one has asked. */
export function remembered<Answer>(answerTo: (text: string) => Answer): (text: string) => Answer {
  const answers = new Map<string, Answer>()
  return (text) => {
    const known = answers.get(text)
    if (known !== undefined) return known
    if (answers.size >= mostRemembered) answers.clear()
    const answer = answerTo(text)
    if (text.length <= mostLetters) answers.set(text, answer)
    return answer
  }
}
