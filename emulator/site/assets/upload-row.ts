/** A line of the list: the file's name, how far it is, how it ended, and what can be done with it. */
export type UploadRow = ReturnType<typeof newRow>

export function newRow(list: HTMLElement, name: string) {
  const line = document.createElement('li')
  const [shown, bar, said, buttons] = [
    document.createElement('bdi'),
    document.createElement('progress'),
    document.createElement('span'),
    document.createElement('span'),
  ]
  shown.textContent = name
  bar.setAttribute('aria-label', name)
  buttons.className = 'links'
  line.append(shown, said, buttons)
  list.append(line)
  const anchor = (text: string, href: string) => {
    const link = document.createElement('a')
    link.href = href
    link.textContent = text
    return link
  }
  return {
    line,
    /** Says something beside the name; `href` makes it a link. */
    say: (text: string, href?: string) => said.replaceChildren(href === undefined ? text : anchor(text, href)),
    /** 0 to 1; undefined takes the bar away. */
    progress(part: number | undefined) {
      if (part === undefined) return bar.remove()
      bar.value = part
      if (!bar.isConnected) said.before(bar)
    },
    /** Takes the buttons away. */
    clear: () => buttons.replaceChildren(),
    /** Adds a button, and names it by the file too. */
    button(label: string, act: () => void) {
      const button = document.createElement('button')
      button.type = 'button'
      button.className = 'quiet'
      button.textContent = label
      button.setAttribute('aria-label', `${label}: ${name}`)
      button.addEventListener('click', act)
      buttons.append(button)
      return button
    },
    /** Adds a link that keeps this page, with its files, open. */
    link: (label: string, href: string) =>
      buttons.append(Object.assign(anchor(label, href), { target: '_blank', rel: 'noopener' })),
  }
}
