/** Buttons that copy a text of the page, and texts that the page shows only once. */
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  const source = document.getElementById(button.dataset['copy'] ?? '')
  const said = document.getElementById(button.dataset['said'] ?? '')
  if (source === null) continue
  button.hidden = false
  button.addEventListener('click', () => {
    const isCopied =
      navigator.clipboard?.writeText(source.textContent ?? '') ?? Promise.reject(new Error('no clipboard'))
    isCopied.then(
      () => {
        if (said !== null) said.textContent = said.dataset['text'] ?? ''
      },
      // Without TLS there is no clipboard: the visitor copies what is selected.
      () => getSelection()?.selectAllChildren(source),
    )
  })
}

// The browser may keep the page to go back to, with what must be seen only once.
addEventListener('pagehide', () => {
  for (const once of document.querySelectorAll('[data-once]')) once.textContent = ''
})
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})

export {}
