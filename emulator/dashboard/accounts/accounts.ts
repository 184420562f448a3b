import { html } from '../../site/html/html.ts'
import type { Section } from '../section.ts'

export const accountsSection: Section = {
  name: 'accounts',
  heading: 'Accounts',
  view: () => html``,
}
