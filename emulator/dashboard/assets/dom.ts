export type Child = Node | string | number | false | null | undefined | readonly Child[]

/** Attributes by their names; functions are handlers, such as `onclick`. */
export type Props = Readonly<Record<string, string | number | boolean | undefined | ((event: never) => unknown)>>

/** Makes an element. A text stays text, even with markup in it. @param tag with its classes: `p.soft` */
export function h(tag: string, ...content: readonly (Child | Props)[]): HTMLElement {
  const [name = '', ...classes] = tag.split('.')
  const element = document.createElement(name)
  if (classes.length > 0) element.className = classes.join(' ')
  for (const one of content) {
    if (isProps(one)) set(element, one)
    else append(element, one)
  }
  return element
}

export function headOf(...columns: readonly string[]): HTMLElement {
  const cells = columns.map((name) => h('th', { scope: 'col' }, name))
  return h('thead', h('tr', cells))
}

function isProps(one: Child | Props): one is Props {
  return typeof one === 'object' && one !== null && !Array.isArray(one) && !(one instanceof Node)
}

function set(element: HTMLElement, props: Props): void {
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') Reflect.set(element, name, value)
    else if (value !== false && value !== undefined) element.setAttribute(name, value === true ? '' : String(value))
  }
}

function append(parent: Node, child: Child): void {
  if (typeof child === 'string' || typeof child === 'number') parent.appendChild(document.createTextNode(`${child}`))
  else if (child instanceof Node) parent.appendChild(child)
  else if (child) for (const each of child) append(parent, each)
}

const handlers = ['onclick', 'onsubmit', 'onreset', 'oninput', 'onchange'] as const

/** What people and the program set while the page is open, and drawing leaves alone. */
const own = new Set(['open', 'aria-busy', 'data-basis', 'data-changed'])

/**
 * Changes what is shown as little as possible: what stays the same keeps its focus, its marked text and what was typed.
 * Elements are the same by their `id`, else by their place. What is inside `data-kept` is drawn by others.
 */
export function draw(parent: Element, ...children: readonly Child[]): void {
  const fresh = document.createElement(parent.tagName)
  append(fresh, children)
  drawChildren(parent, fresh)
}

function drawChildren(old: Element, fresh: Element): void {
  let at = old.firstChild
  for (const next of [...fresh.childNodes]) {
    const same = sameOf(old, at, next)
    if (same === undefined) {
      old.insertBefore(next, at)
      continue
    }
    if (same === at) at = at.nextSibling
    else old.insertBefore(same, at)
    if (same instanceof Element && next instanceof Element) drawElement(same, next)
    else if (same.nodeValue !== next.nodeValue) same.nodeValue = next.nodeValue
  }
  while (at !== null) {
    const gone = at
    at = at.nextSibling
    gone.remove()
  }
}

function sameOf(parent: Element, at: ChildNode | null, next: ChildNode): ChildNode | undefined {
  const id = idOf(next)
  if (id !== '') return [...parent.childNodes].find((node) => idOf(node) === id && node.nodeName === next.nodeName)
  return at !== null && at.nodeName === next.nodeName && idOf(at) === '' ? at : undefined
}

function idOf(node: Node): string {
  return node instanceof Element ? node.id : ''
}

function drawElement(old: Element, fresh: Element): void {
  for (const name of old.getAttributeNames()) {
    if (!fresh.hasAttribute(name) && !own.has(name)) old.removeAttribute(name)
  }
  for (const { name, value } of fresh.attributes) {
    if (!own.has(name) && old.getAttribute(name) !== value) old.setAttribute(name, value)
  }
  for (const name of handlers) Reflect.set(old, name, Reflect.get(fresh, name))
  if (!old.hasAttribute('data-kept')) drawChildren(old, fresh)
}

/** The element with an id that the page always has. */
export function part(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`The page has no ${id}`)
  return found
}
