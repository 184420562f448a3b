import { html, nothing, type TemplateResult } from 'lit-html'
import { guard } from 'lit-html/directives/guard.js'
import { repeat } from 'lit-html/directives/repeat.js'

/** What a page shows. Objects of records do not compile; false, null and undefined show nothing. */
export type View = string | number | boolean | null | undefined | TemplateResult | readonly View[]

/** A template. Values become texts and attributes, never markup; `@click` takes a handler, `?hidden` a condition. */
export function view(texts: TemplateStringsArray, ...values: readonly (View | ((event: never) => unknown))[]): View {
  return html(texts, ...values.map(shownOrNothing))
}

function shownOrNothing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shownOrNothing)
  return value === false || value === undefined || value === null ? nothing : value
}

/**
 * A list, in which what has the same key stays the same element, with its focus and what is typed in it.
 * @param reads all that an item shows beside itself: as long as it is the same, the item is not drawn again
 */
export function keyed<Item>(
  items: readonly Item[],
  key: keyof Item,
  show: (item: Item) => View,
  reads?: readonly unknown[],
): View {
  const draw = (item: Item) => shownOrNothing(show(item))
  return repeat(
    items,
    (item) => item[key],
    (item) => (reads === undefined ? draw(item) : guard([item, ...reads], () => draw(item))),
  ) as View
}
