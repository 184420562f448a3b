import { html } from '../../site/html/html.ts'
import type { Section } from '../section.ts'

export const settingsSection: Section = {
  name: 'settings',
  heading: 'Settings',
  view: () => html``,
}
