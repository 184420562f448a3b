/** Uploads chosen or dropped files one by one and shows how far each is. The words are attributes of the list. */

const form = document.querySelector<HTMLFormElement>('#upload')
const input = document.querySelector<HTMLInputElement>('#files')
const list = document.querySelector<HTMLElement>('#sending')
const status = document.querySelector<HTMLElement>('#sent')

/** How many files are sent at a time. */
const mostAtOnce = 2

/** What the site answers to a file. */
interface Answer {
  readonly files?: readonly { readonly href?: string; readonly problem?: string }[]
  readonly problem?: string
}

if (form !== null && input !== null && list !== null && status !== null) start({ form, input, list, status })

interface Parts {
  readonly form: HTMLFormElement
  readonly input: HTMLInputElement
  readonly list: HTMLElement
  readonly status: HTMLElement
}

function start({ form, input, list, status }: Parts): void {
  const words = list.dataset
  const waiting: (() => void)[] = []
  let sending = 0
  let stored = 0

  const next = () => {
    const send = sending < mostAtOnce ? waiting.shift() : undefined
    if (send !== undefined) {
      sending += 1
      send()
    } else if (sending === 0 && stored > 0) tellEnd()
  }
  const tellEnd = () => {
    const link = document.createElement('a')
    link.href = './'
    link.textContent = status.dataset['link'] ?? ''
    document.querySelector('[data-none]')?.remove()
    status.replaceChildren(`${status.dataset['text']} `, link)
  }

  const add = (file: File) => {
    const row = newRow(list, file.name)
    const problem = problemOf(file)
    if (problem !== undefined) return row.end(problem)
    row.say(words['waiting'] ?? '')
    const request = new XMLHttpRequest()
    let isCancelled = false
    const finish = () => {
      sending -= 1
      next()
    }
    const send = () => {
      request.open('POST', form.action)
      request.setRequestHeader('Accept', 'application/json')
      request.upload.onprogress = ({ loaded, total }) => row.progress(loaded / Math.max(total, 1))
      request.onload = () => {
        const { files: [{ href, problem } = {}] = [], problem: refusal } = parsed(request.responseText)
        const wrong = problem ?? refusal ?? (href === undefined ? words['failed'] : undefined)
        if (wrong !== undefined) return row.end(wrong)
        stored += 1
        row.end(words['done'] ?? '', href)
      }
      request.onerror = () => row.end(words['failed'] ?? '')
      request.onabort = () => row.end(words['cancelled'] ?? '')
      request.onloadend = finish
      const body = new FormData()
      // The token comes first: without it the site stores nothing.
      body.append('token', String(new FormData(form).get('token')))
      body.append(input.name, file)
      row.say('')
      row.progress(0)
      request.send(body)
    }
    const start = () => (isCancelled ? finish() : send())
    row.onCancel(words['cancel'] ?? '', () => {
      if (isCancelled) return
      isCancelled = true
      if (request.readyState === XMLHttpRequest.UNSENT) row.end(words['cancelled'] ?? '')
      else request.abort()
    })
    waiting.push(start)
  }
  const addAll = (files: Iterable<File>) => {
    status.textContent = ''
    for (const file of files) add(file)
    for (let free = sending; free < mostAtOnce; free += 1) next()
  }

  const problemOf = ({ size, type }: File): string | undefined => {
    if (size > Number(words['max'])) return words['tooLarge']
    // The site judges a file by its content; the browser knows types by names, and not all.
    return type === '' || input.accept.split(',').includes(type) ? undefined : words['wrongType']
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    addAll(input.files ?? [])
    input.value = ''
  })
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false
  document.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    form.classList.add('over')
  })
  document.addEventListener('dragleave', () => form.classList.remove('over'))
  document.addEventListener('drop', (event) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    form.classList.remove('over')
    addAll(event.dataTransfer?.files ?? [])
  })
  const hint = form.querySelector<HTMLElement>('[data-hint]')
  if (hint !== null) hint.textContent = hint.dataset['hint'] ?? ''
}

/** A line of the list: the file's name, how far it is, and how it ended. */
function newRow(list: HTMLElement, name: string) {
  const row = document.createElement('li')
  const [shownName, bar, said, cancel] = [
    document.createElement('bdi'),
    document.createElement('progress'),
    document.createElement('span'),
    document.createElement('button'),
  ]
  shownName.textContent = name
  bar.setAttribute('aria-label', name)
  cancel.type = 'button'
  cancel.className = 'quiet'
  row.append(shownName, said)
  list.append(row)
  return {
    say(text: string) {
      said.textContent = text
    },
    progress(part: number) {
      bar.value = part
      if (!bar.isConnected) said.before(bar)
    },
    onCancel(label: string, act: () => void) {
      cancel.textContent = label
      cancel.setAttribute('aria-label', `${label}: ${name}`)
      cancel.addEventListener('click', act)
      row.append(cancel)
    },
    end(text: string, href?: string) {
      bar.remove()
      cancel.remove()
      const link = document.createElement('a')
      link.href = href ?? ''
      link.textContent = text
      said.replaceChildren(href === undefined ? text : link)
    },
  }
}

function parsed(text: string): Answer {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

export {}
