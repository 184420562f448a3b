/** Buttons that copy a text of the page, forms that are sent once, texts that the page shows once, and a clean address. */

/** Gives its name back to the button that was pressed last. */
let reset = () => {}

/** Copies a text when a button is pressed, which says so until another one is. */
function copyOnPress(button: HTMLButtonElement, textOf: () => string): void {
  const { ariaLabel } = button
  const content = [...button.childNodes]
  button.hidden = false
  button.addEventListener('click', async () => {
    const text = textOf()
    // Without TLS there is no clipboard; what is selected can be copied all the same.
    await (navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'))).catch(() => select(text))
    reset()
    button.textContent = button.dataset['copied'] ?? ''
    button.ariaLabel = null
    reset = () => {
      button.replaceChildren(...content)
      button.ariaLabel = ariaLabel
    }
  })
}

function select(text: string): void {
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  const source = document.getElementById(button.dataset['copy'] ?? '')
  if (source !== null) copyOnPress(button, () => source.textContent ?? '')
}

// The second click of a double click would drop the answer to the first, which alone shows a new key.
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

// What a note says is said: its name leaves the address, which people copy and keep.
const address = new URL(location.href)
if (address.searchParams.has('note')) {
  address.searchParams.delete('note')
  history.replaceState(history.state, '', address)
}

export {}
