/** Buttons that copy a text of the page, forms that are sent once, and texts that the page shows once. */
import { copyOnPress } from './copying.ts'
import './address.ts'

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  const source = document.getElementById(button.dataset['copy'] ?? '')
  if (source !== null) copyOnPress(button, () => source.textContent ?? '')
}

// The second click of a double click would make another key.
for (const form of document.forms) {
  let isSent = false
  form.addEventListener('submit', (event) => {
    if (isSent) event.preventDefault()
    isSent = true
  })
}

// The browser may keep the page to go back to, with what must be seen only once.
addEventListener('pagehide', () => {
  for (const once of document.querySelectorAll('[data-once]')) once.textContent = ''
})
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})
