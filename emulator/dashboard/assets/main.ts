import { render } from 'lit-html'
import { accountsView } from './accounts.ts'
import { addressed, onAddress } from './address.ts'
import { askConnection, askDetail, askFindings, askTypes } from './asks.ts'
import { clockView } from './clock.ts'
import { faultsView } from './faults.ts'
import { showProblems } from './fields.ts'
import { happen, holdIf, settle, watchReader } from './log.ts'
import { stateWords } from './log-state.ts'
import { later } from './page-clock.ts'
import { quotaView } from './quota.ts'
import { requestsView } from './requests.ts'
import { settingsView } from './settings.ts'
import { wallTime } from './shown.ts'
import { stateView } from './state.ts'
import { change, onChange, type PageState, type SectionName, say, state } from './store.ts'
import { followVisibility, openStream, streamQuery } from './stream.ts'
import { type View, view } from './view.ts'

const sections: Readonly<Record<SectionName, (state: PageState) => View>> = {
  requests: requestsView,
  quota: quotaView,
  clock: clockView,
  faults: faultsView,
  accounts: accountsView,
  settings: settingsView,
  state: stateView,
}

const place = (selector: string) => document.querySelector<HTMLElement>(selector) ?? document.body

onChange(() => {
  settle()
  const { clock, settings, log, said } = state
  const words = stateWords(log)
  const tone = words === 'Live' ? 'good' : log.connection === 'none' ? 'warn' : ''
  const now = clock && settings && wallTime(Date.parse(clock.now), settings.timezone)
  render(
    view`<span class=${`pill ${tone}`} id="live-state">${words}</span> <span id="now">${now}</span>`,
    place('#status'),
  )
  for (const [name, section] of Object.entries(sections)) {
    render(said[name as SectionName], place(`#${name} > .said`))
    render(section(state), place(`#${name} > .body`))
  }
})

let followed = streamQuery()
let opened = addressed('request')

onAddress(() => {
  const request = addressed('request')
  if (request !== opened) void askDetail()
  opened = request
  holdIf(request !== undefined, 'reading')
  say('requests')
  const query = streamQuery()
  if (query === followed) return
  followed = query
  showProblems('filter', new Map())
  happen({ kind: 'forgotten' })
  openStream()
})

document.addEventListener('click', () => place('#toast').replaceChildren())
watchReader()
followVisibility()
holdIf(opened !== undefined, 'reading')
openStream()
void askConnection()
void askTypes()
void askDetail()
askFindings()
change()
if (location.hash !== '') later(300, () => document.getElementById(location.hash.slice(1))?.scrollIntoView())
