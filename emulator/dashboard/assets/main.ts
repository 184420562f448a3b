import type { FaultTypeListing } from '../../control/fault-control.ts'
import type { SettingListing } from '../../settings/listing.ts'
import { accountsContent } from './accounts.ts'
import { addressed, filterNames, onAddress, streamQuery } from './address.ts'
import { call } from './api.ts'
import { clockContent } from './clock.ts'
import { askDetail, askDetailAgain } from './detail.ts'
import { part } from './dom.ts'
import { faultsContent } from './faults.ts'
import { showProblems } from './forms.ts'
import { askFindings, beginAt, forgetLog, happen, holdForReading, lastNumber, watchLog } from './log.ts'
import { later } from './page-clock.ts'
import { problemsIn } from './problems.ts'
import { quotaContent } from './quota.ts'
import { requestsContent } from './requests.ts'
import { markRows } from './rows.ts'
import { settingsContent } from './settings.ts'
import { wallTime } from './shown.ts'
import { stateContent } from './state.ts'
import { createStream } from './stream.ts'
import { askConnection, defineSection, known, redraw, type SectionName, say } from './view.ts'

const sections: Readonly<Record<SectionName, () => ReturnType<typeof quotaContent>>> = {
  requests: requestsContent,
  quota: quotaContent,
  clock() {
    const { clock, settings } = known
    if (clock !== undefined && settings !== undefined)
      part('now').textContent = wallTime(Date.parse(clock.now), settings.timezone)
    return clockContent()
  },
  faults: faultsContent,
  accounts: accountsContent,
  settings: settingsContent,
  state: stateContent,
}
const names = Object.keys(sections) as SectionName[]
for (const name of names) defineSection(name, sections[name])

const stream = createStream({
  last: lastNumber,
  happen,
  begin(last) {
    beginAt(last)
    askDetailAgain()
  },
  forget() {
    forgetLog()
    askConnection()
    void askDetail()
    askFindings()
  },
  refuse(message) {
    showProblems(
      'filter',
      problemsIn(message, (name) => (filterNames as readonly string[]).includes(name)),
    )
    redraw('requests')
  },
})

/** The tables of settings and faults never change while the emulator runs. */
async function askTypes(): Promise<void> {
  try {
    known.settingTypes = await call<readonly SettingListing[]>('GET', '/settings/types')
    known.faultTypes = await call<readonly FaultTypeListing[]>('GET', '/faults/types')
    redraw('settings', 'faults')
  } catch {
    later(2_000, () => void askTypes())
  }
}

let followed = streamQuery()
let opened = addressed('request')

onAddress(() => {
  const query = streamQuery()
  const request = addressed('request')
  if (request !== opened) void askDetail()
  opened = request
  holdForReading()
  markRows()
  say('requests')
  if (query !== followed) {
    followed = query
    showProblems('filter', new Map())
    forgetLog()
    stream.connect()
  }
  redraw(...names)
})

redraw(...names)
requestAnimationFrame(() => {
  watchLog()
  holdForReading()
  happen({ kind: 'lost' })
  stream.connect()
  askConnection()
  askFindings()
  void askTypes()
  void askDetail()
  if (location.hash !== '') later(300, () => document.getElementById(location.hash.slice(1))?.scrollIntoView())
})
