import { html } from '../../site/html/html.ts'
import type { Section } from '../section.ts'

export const quotaSection: Section = {
  name: 'quota',
  heading: 'Quota',
  view: () => html``,
}
