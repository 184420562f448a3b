/** Uploads chosen, dropped or pasted files one by one, and tells how far each is and how all ended. */
import { parseJson } from '../../../src/checks/json.ts'
import { copyOnPress } from './copying.ts'
import { newRow, type UploadRow } from './upload-row.ts'
import './address.ts'

interface Sent {
  readonly file: File
  readonly row: UploadRow
  state: 'waiting' | 'sending' | 'stored' | 'refused'
}

interface Answer {
  readonly files?: readonly { readonly href?: string; readonly problem?: string }[]
  readonly problem?: string
}

const form = onPage<HTMLFormElement>('upload')
const input = onPage<HTMLInputElement>('files')
const panel = onPage('sending')
const said = onPage('sent')
const words: Readonly<Record<string, string>> = JSON.parse(panel.dataset['words'] ?? '{}')
const marks = { waiting: '', sending: '', stored: '✓', refused: '✕' }
const all: Sent[] = []

function onPage<Kind extends HTMLElement>(id: string): Kind {
  const found = document.querySelector<Kind>(`#${id}`)
  if (found === null) throw new Error(`The page has no #${id}`)
  return found
}

function word(name: string, values: Readonly<Record<string, number>> = {}): string {
  return (words[name] ?? '').replace(/\{(\w+)\}/g, (_, value: string) => String(values[value]))
}

const count = (state: Sent['state']) => all.filter((sent) => sent.state === state).length

function tell(): void {
  const [stored, refused] = [count('stored'), count('refused')]
  const isOver = stored + refused === all.length
  panel.hidden = false
  // Live regions are read out: each count would be too much.
  said.setAttribute('aria-busy', String(!isOver))
  said.classList.toggle('bad', isOver && refused > 0)
  const refusals = refused > 0 ? `, ${word('refused', { refused })}` : ''
  said.textContent = word('stored', { stored, all: all.length }) + refusals
  if (isOver && stored > 0) void refresh()
}

/** The files of the account as they are now, and a token of the session as it is now. */
async function refresh(): Promise<void> {
  const answer = await fetch(location.search === '' ? './' : location.search).catch(() => undefined)
  const page = new DOMParser().parseFromString((await answer?.text()) ?? '', 'text/html')
  const [list, token] = [page.querySelector('#list'), page.querySelector<HTMLInputElement>('#upload [name=token]')]
  const own = form.querySelector<HTMLInputElement>('[name=token]')
  if (list !== null) onPage('list').replaceWith(list)
  if (token !== null && own !== null) own.value = token.value
}

/** Sends the next file, unless one is on its way. */
function next(): void {
  if (all.length > 0) tell()
  const sent = count('sending') > 0 ? undefined : all.find(({ state }) => state === 'waiting')
  if (sent !== undefined) send(sent)
}

function show(sent: Sent, state: Sent['state'], text: string, href?: string): void {
  const { row } = sent
  sent.state = state
  row.line.className = state
  row.line.dataset['mark'] = marks[state]
  row.progress(state === 'sending' ? 0 : undefined)
  row.clear()
  row.say(text, href)
}

function refuse(sent: Sent, reason: string, { isFinal = false, isSignedOut = false } = {}): void {
  show(sent, 'refused', reason)
  if (isFinal) return
  if (isSignedOut) sent.row.link(word('signIn'), 'login')
  sent.row.button(word('retry'), async () => {
    // Pressed twice, it would send the file twice.
    sent.row.clear()
    await refresh()
    show(sent, 'waiting', word('waiting'))
    next()
  })
}

function send(sent: Sent): void {
  const request = new XMLHttpRequest()
  show(sent, 'sending', '')
  request.open('POST', form.action)
  request.setRequestHeader('Accept', 'application/json')
  request.upload.onprogress = ({ loaded, total }) => sent.row.progress(loaded / Math.max(total, 1))
  request.onload = () => takeAnswer(sent, request)
  request.onerror = () => refuse(sent, word('failed'))
  request.onabort = request.onerror
  request.onloadend = next
  const body = new FormData()
  // The token comes first: without it the site stores nothing.
  body.append('token', String(new FormData(form).get('token')))
  body.append(input.name, sent.file)
  request.send(body)
}

function takeAnswer(sent: Sent, request: XMLHttpRequest): void {
  const { files: [{ href, problem } = {}] = [], problem: refusal }: Answer = Object(parseJson(request.responseText))
  if (href === undefined) {
    const seconds = Number(request.getResponseHeader('Retry-After'))
    const reason = problem ?? refusal ?? word(seconds > 0 ? 'busy' : 'failed', { seconds })
    const isFinal = problem !== undefined || request.status === 413
    refuse(sent, reason, { isFinal, isSignedOut: [401, 419].includes(request.status) })
    return
  }
  show(sent, 'stored', word('done'), href)
  const copy = sent.row.button(word('copy'), () => {})
  copy.dataset['copied'] = word('copied')
  copyOnPress(copy, () => new URL(href, location.href).href)
}

function problemOf({ size, type }: File): string | undefined {
  if (size === 0) return word('empty')
  if (size > Number(panel.dataset['max'])) return word('tooLarge')
  // The site judges a file by its content; the browser knows types by names, and not all.
  return type === '' || input.accept.split(',').includes(type) ? undefined : word('wrong-type')
}

function addAll(files: Iterable<File>): void {
  for (const file of files) {
    const sent: Sent = { file, row: newRow(onPage('rows'), file.name), state: 'waiting' }
    all.push(sent)
    const problem = problemOf(file)
    if (problem === undefined) show(sent, 'waiting', word('waiting'))
    else refuse(sent, problem, { isFinal: true })
  }
  next()
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  addAll(input.files ?? [])
  input.value = ''
})

function filesIn(event: Event, data: DataTransfer | null): FileList | undefined {
  if (!data?.types.includes('Files')) return undefined
  event.preventDefault()
  return data.files
}

const showOver = (over: boolean) => document.body.classList.toggle('over', over)
document.addEventListener('dragover', (event) => {
  if (filesIn(event, event.dataTransfer) !== undefined) showOver(true)
})
// Into the page itself a file is dragged only from outside.
document.addEventListener('dragleave', ({ relatedTarget }) => showOver(relatedTarget !== null))
document.addEventListener('drop', (event) => {
  showOver(false)
  addAll(filesIn(event, event.dataTransfer) ?? [])
})
document.addEventListener('paste', (event) => addAll(filesIn(event, event.clipboardData) ?? []))
addEventListener('beforeunload', (event) => {
  if (count('stored') + count('refused') < all.length) event.preventDefault()
})
document.body.dataset['drop'] = word('drop')
const hint = form.querySelector<HTMLElement>('[data-hint]')
if (hint !== null) hint.textContent = hint.dataset['hint'] ?? ''
