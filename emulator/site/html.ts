/** Markup that needs no escaping. */
export interface Html {
  readonly markup: string
}

type Content = string | number | Html | readonly Html[] | undefined

/** Builds markup: escapes every value except markup built the same way. */
export function html(texts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  const markup = texts.reduce((built, text, index) => built + render(contents[index - 1]) + text)
  return { markup }
}

function render(content: Content): string {
  if (content === undefined) return ''
  if (typeof content === 'number') return String(content)
  if (typeof content === 'string') return escapeHtml(content)
  return 'markup' in content ? content.markup : content.map(({ markup }) => markup).join('')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}
