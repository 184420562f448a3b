/** Buttons that copy a text of the page, and texts that the page shows only once. */
import { copyOnPress } from './copying.ts'
import './address.ts'

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  const source = document.getElementById(button.dataset['copy'] ?? '')
  if (source !== null) copyOnPress(button, () => source.textContent ?? '')
}

// The browser may keep the page to go back to, with what must be seen only once.
addEventListener('pagehide', () => {
  for (const once of document.querySelectorAll('[data-once]')) once.textContent = ''
})
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})
