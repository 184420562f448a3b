/** Copies a text, or marks it to be copied by hand where the browser does not let a page copy. */
async function copy(button: HTMLElement): Promise<void> {
  const source = document.getElementById(button.dataset['copyFrom'] ?? '')
  const text = button.dataset['copy'] ?? source?.textContent ?? ''
  try {
    await navigator.clipboard.writeText(text)
    say('Copied')
  } catch {
    if (source !== null) getSelection()?.selectAllChildren(source)
    say(source === null ? `Copy this: ${text}` : 'Press Ctrl+C to copy the marked text')
  }
}

const status = document.createElement('p')
status.setAttribute('role', 'status')
status.className = 'said'
document.body.append(status)

/** Emptied first: a text that does not change is not read out again. */
function say(text: string): void {
  status.textContent = ''
  requestAnimationFrame(() => {
    status.textContent = text
  })
}

document.addEventListener('click', (event) => {
  const button = (event.target as Element).closest<HTMLElement>('[data-copy],[data-copy-from]')
  if (button === null) status.textContent = ''
  else void copy(button)
})

// Buttons that need this script are shown, and those that it makes needless hidden, by the stylesheet.
document.documentElement.classList.add('scripted')
