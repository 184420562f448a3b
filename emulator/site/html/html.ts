import { html as escaped } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/** Markup that needs no escaping. */
export type Html = HtmlEscapedString

/** False and undefined show nothing, so that a condition can stand before `&&`. */
type Content = string | number | Html | readonly Html[] | false | undefined

/**
 * Builds markup: escapes every value except markup built the same way. Attributes need quotes around a value. The types
 * keep out what hono would show as text of its own: objects, null, promises.
 */
export function html(texts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  // hono makes a promise only of contents that have one, and the types allow none.
  return escaped(texts, ...contents) as Html
}
