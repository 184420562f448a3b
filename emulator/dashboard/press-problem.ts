import { type Html, html } from '../site/html/html.ts'
import type { View } from './section.ts'

/**
 * Why buttons of a live part did nothing. Below that part, which would be replaced in a moment.
 * @param actions `<section>/<action>` of the buttons
 */
export function pressProblem({ refused }: View, actions: readonly string[]): Html | false {
  if (refused === undefined || !actions.includes(refused.action)) return false
  const problem = refused.problem ?? [...refused.problems.values()].join(' ')
  return html`<p class="problem" role="alert">${problem}</p>`
}
