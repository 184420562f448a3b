/** Gives its name back to the button that was pressed last. */
let reset = () => {}

/** Copies a text when a button is pressed, which says so until another one is. */
export function copyOnPress(button: HTMLButtonElement, textOf: () => string): void {
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
