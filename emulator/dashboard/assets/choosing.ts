/** A list to choose from shows at once what it chooses: that part of the page is fetched, and keeps what was entered. */
document.addEventListener('change', (event) => {
  const form = (event.target as HTMLSelectElement).form
  if (form === null || form.dataset['choose'] === undefined) return
  const part = document.getElementById(form.dataset['choose'])
  if (part !== null) void show(part, form).catch(() => form.submit())
})

async function show(part: HTMLElement, form: HTMLFormElement): Promise<void> {
  const address = new URL(location.href)
  address.search = new URLSearchParams(new FormData(form) as unknown as Record<string, string>).toString()
  const answer = await fetch(address)
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const next = page.getElementById(part.id)
  if (next === null) throw new Error('The page has no such part')
  for (const field of fieldsOf(part)) {
    const same = field.name === '' ? null : fieldsOf(next).find(({ name }) => name === field.name)
    if (same != null && field.type !== 'hidden') same.value = field.value
  }
  history.replaceState(null, '', address)
  part.replaceWith(next)
  next.querySelector<HTMLElement>('[data-choose] select')?.focus()
}

function fieldsOf(part: Element): HTMLInputElement[] {
  return [...part.querySelectorAll<HTMLInputElement>('input,textarea')]
}
