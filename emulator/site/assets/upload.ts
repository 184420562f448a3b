/** Uploads chosen, dropped or pasted files one by one, and tells how far each is and how all ended. */
import { parseJson } from '../../../src/checks/json.ts'
import { copyOnPress } from './copying.ts'
import { newRow, type UploadRow } from './upload-row.ts'
import './address.ts'

const byId = <Kind extends HTMLElement>(id: string) => document.querySelector<Kind>(`#${id}`)
const form = byId<HTMLFormElement>('upload')
const input = byId<HTMLInputElement>('files')
const panel = byId('sending')

const mostAtOnce = 2

type State = 'waiting' | 'sending' | 'stored' | 'refused' | 'cancelled'

interface Sent {
  readonly file: File
  readonly row: UploadRow
  state: State
  /** 0 to 1. */
  part: number
  /** In the order of the choice of formats. */
  links?: readonly string[]
}

const marks: Readonly<Record<string, string>> = { stored: '✓', refused: '✕' }
const isOpen = (state: State) => state === 'waiting' || state === 'sending'

interface Answer {
  readonly files?: readonly { readonly href?: string; readonly links?: readonly string[]; readonly problem?: string }[]
  readonly problem?: string
}

if (form !== null && input !== null && panel !== null) start(form, input, panel)

function start(form: HTMLFormElement, input: HTMLInputElement, panel: HTMLElement): void {
  const [said, total, rows, copying] = [byId('sent'), byId<HTMLProgressElement>('total'), byId('rows'), byId('copying')]
  const format = byId<HTMLSelectElement>('format')
  const all: Sent[] = []
  const words: Readonly<Record<string, string>> = JSON.parse(panel.dataset['words'] ?? '{}')
  const word = (name: string, values: Readonly<Record<string, number>> = {}) =>
    (words[name] ?? '').replace(/\{(\w+)\}/g, (_, value: string) => String(values[value]))
  const count = (state: State) => all.filter((sent) => sent.state === state).length
  const linkOf = ({ links }: Sent) => links?.[format?.selectedIndex ?? 0] ?? ''

  const tell = () => {
    if (all.length === 0) return
    const [stored, refused, cancelled] = [count('stored'), count('refused'), count('cancelled')]
    const isOver = !all.some(({ state }) => isOpen(state))
    panel.hidden = false
    if (copying !== null) copying.hidden = stored === 0
    if (total !== null) {
      total.hidden = isOver || all.length === 1
      total.value = all.reduce((sum, { part, state }) => sum + (isOpen(state) ? part : 1), 0) / all.length
    }
    if (said === null) return
    // Live regions are read out: each count would be too much.
    said.setAttribute('aria-busy', String(!isOver))
    said.classList.toggle('bad', isOver && stored < all.length)
    const parts = [
      word('stored', { stored, all: all.length }),
      refused > 0 && word('refused', { refused }),
      cancelled > 0 && word('cancelledCount', { cancelled }),
    ]
    said.textContent = parts.filter((part) => part !== false).join(', ')
    if (isOver && stored > 0) void refresh()
  }

  /** The files of the account as they are now, and a token of the session as it is now. */
  const refresh = async () => {
    const text = await fetch(location.search === '' ? './' : location.search).then(
      (answer) => answer.text(),
      () => '',
    )
    const page = new DOMParser().parseFromString(text, 'text/html')
    const [list, token] = [page.querySelector('#list'), page.querySelector<HTMLInputElement>('#upload [name=token]')]
    const own = form.querySelector<HTMLInputElement>('[name=token]')
    if (list !== null) byId('list')?.replaceWith(list)
    if (token !== null && own !== null) own.value = token.value
  }

  const next = () => {
    tell()
    if (count('sending') >= mostAtOnce) return
    const sent = all.find(({ state }) => state === 'waiting')
    if (sent === undefined) return
    send(sent)
    next()
  }
  const end = (sent: Sent, state: State, text: string, href?: string) => {
    sent.state = state
    sent.row.line.className = state
    sent.row.line.dataset['mark'] = marks[state] ?? ''
    sent.row.progress(undefined)
    sent.row.clear()
    sent.row.say(text, href)
  }
  const offerRetry = (sent: Sent, isSignedOut: boolean) => {
    if (isSignedOut) sent.row.link(word('signIn'), 'login')
    sent.row.button(word('retry'), async () => {
      await refresh()
      wait(sent)
      next()
    })
  }
  const wait = (sent: Sent) => {
    end(sent, 'waiting', word('waiting'))
    sent.row.button(word('cancel'), () => {
      end(sent, 'cancelled', word('cancelled'))
      next()
    })
  }

  const send = (sent: Sent) => {
    const { row, file } = sent
    const request = new XMLHttpRequest()
    end(sent, 'sending', '')
    sent.part = 0
    row.progress(0)
    row.button(word('cancel'), () => request.abort())
    request.open('POST', form.action)
    request.setRequestHeader('Accept', 'application/json')
    request.upload.onprogress = ({ loaded, total: size }) => {
      sent.part = loaded / Math.max(size, 1)
      row.progress(sent.part)
      tell()
    }
    request.onload = () => {
      const { files: [{ href, links = [], problem } = {}] = [], problem: refusal } = Object(
        parseJson(request.responseText),
      ) as Answer
      if (href === undefined) {
        const seconds = Number(request.getResponseHeader('Retry-After'))
        end(sent, 'refused', problem ?? refusal ?? word(seconds > 0 ? 'busy' : 'failed', { seconds }))
        if (problem === undefined && request.status !== 413) offerRetry(sent, [401, 419].includes(request.status))
        return
      }
      end(sent, 'stored', word('done'), href)
      sent.links = links
      const copy = row.button(word('copy'), () => {})
      copy.dataset['copied'] = word('copied')
      copyOnPress(copy, () => linkOf(sent))
    }
    request.onerror = () => {
      end(sent, 'refused', word('failed'))
      offerRetry(sent, false)
    }
    request.onabort = () => end(sent, 'cancelled', word('cancelled'))
    request.onloadend = next
    const body = new FormData()
    // The token comes first: without it the site stores nothing.
    body.append('token', String(new FormData(form).get('token')))
    body.append(input.name, file)
    request.send(body)
  }

  const addAll = (files: Iterable<File>) => {
    for (const file of files) {
      const sent: Sent = { file, row: newRow(rows ?? panel, file.name), state: 'waiting', part: 0 }
      all.push(sent)
      const problem = problemOf(file)
      if (problem === undefined) wait(sent)
      else end(sent, 'refused', problem)
    }
    next()
  }
  const problemOf = ({ size, type }: File): string | undefined => {
    if (size === 0) return word('empty')
    if (size > Number(panel.dataset['max'])) return word('tooLarge')
    // The site judges a file by its content; the browser knows types by names, and not all.
    return type === '' || input.accept.split(',').includes(type) ? undefined : word('wrong-type')
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    addAll(input.files ?? [])
    input.value = ''
  })
  const filesIn = (event: Event, data: DataTransfer | null) => {
    if (!data?.types.includes('Files')) return undefined
    event.preventDefault()
    return data.files
  }
  const isOver = (over: boolean) => document.body.classList.toggle('over', over)
  document.addEventListener('dragover', (event) => {
    if (filesIn(event, event.dataTransfer) !== undefined) isOver(true)
  })
  // Into the page itself a file is dragged only from outside.
  document.addEventListener('dragleave', ({ relatedTarget }) => isOver(relatedTarget !== null))
  document.addEventListener('drop', (event) => {
    isOver(false)
    addAll(filesIn(event, event.dataTransfer) ?? [])
  })
  document.addEventListener('paste', (event) => addAll(filesIn(event, event.clipboardData) ?? []))
  addEventListener('beforeunload', (event) => {
    if (all.some(({ state }) => isOpen(state))) event.preventDefault()
  })
  const copyAll = byId<HTMLButtonElement>('copy-all')
  if (copyAll !== null) copyOnPress(copyAll, () => all.map(linkOf).filter(Boolean).join('\n'))
  document.body.dataset['drop'] = word('drop')
  const hint = form.querySelector<HTMLElement>('[data-hint]')
  if (hint !== null) hint.textContent = hint.dataset['hint'] ?? ''
}
