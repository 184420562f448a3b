import { html } from '../../site/html/html.ts'
import type { Section } from '../section.ts'

export const stateSection: Section = {
  name: 'state',
  heading: 'State',
  view: () => html``,
}
