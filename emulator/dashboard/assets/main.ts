import { accountsView } from './accounts.ts'
import { followLinks } from './address.ts'
import { clockView } from './clock.ts'
import { askFindings } from './emulator.ts'
import { faultsView } from './faults.ts'
import { followAddress, followParts, refresh } from './live.ts'
import { settled, stateWords } from './log.ts'
import { later } from './page-clock.ts'
import { quotaView } from './quota.ts'
import { requestsView } from './requests.ts'
import { isAtRows, watchReader } from './rows.ts'
import { settingsView } from './settings.ts'
import { wallTime } from './shown.ts'
import { signedIn } from './sign-in.ts'
import { stateView } from './state.ts'
import { change, drawing, onChange, type PageState, state } from './store.ts'
import { type View, view } from './view.ts'

const sections: Readonly<Record<string, (state: PageState) => View>> = {
  requests: requestsView,
  quota: quotaView,
  clock: clockView,
  faults: faultsView,
  accounts: accountsView,
  settings: settingsView,
  state: stateView,
}

function statusView({ clock, settings, log }: PageState): View {
  const words = stateWords(log)
  const tone = words === 'Live' ? 'good' : log.connection === 'live' ? '' : 'warn'
  const now = clock && settings && wallTime(Date.parse(clock.now), settings.timezone)
  return view`<span class=${`pill ${tone}`} id="live-state">${words}</span> <span id="now">${now}</span>`
}

function settle(): void {
  const log = settled(state.log, isAtRows())
  if (log.rows !== state.log.rows) askFindings()
  if (log !== state.log) change({ log })
}

const place = (selector: string) => document.querySelector<HTMLElement>(selector) ?? document.body

function begin(): void {
  const parts = Object.entries(sections).flatMap(([name, section]) => [
    drawing(place(`#${name} > .said`), ({ said }) => said[name]),
    drawing(place(`#${name} > .body`), section),
  ])
  onChange([followAddress, settle, drawing(place('#status'), statusView), ...parts])
  document.addEventListener('click', () => place('#toast').replaceChildren())
  document.addEventListener('visibilitychange', () => refresh())
  followLinks()
  watchReader()
  askFindings()
  change()
  void followParts()
  if (location.hash !== '') later(300, () => document.getElementById(location.hash.slice(1))?.scrollIntoView())
}

void signedIn().then(begin)
