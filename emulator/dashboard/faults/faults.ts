import { html } from '../../site/html/html.ts'
import type { Section } from '../section.ts'

export const faultsSection: Section = {
  name: 'faults',
  heading: 'Faults',
  view: () => html``,
}
