import { html } from '../../site/html/html.ts'
import type { Section } from '../section.ts'

export const clockSection: Section = {
  name: 'clock',
  heading: 'Clock',
  view: () => html``,
}
