import { accountsSection } from './accounts/accounts.ts'
import { clockSection } from './clock/clock.ts'
import { faultsSection } from './faults/faults.ts'
import { quotaSection } from './quota/quota.ts'
import { requestsSection } from './requests/requests.ts'
import type { Section } from './section.ts'
import { settingsSection } from './settings/settings.ts'
import { stateSection } from './state/state.ts'

/** All that the page shows, in order. */
export const sections: readonly Section[] = [
  requestsSection,
  quotaSection,
  clockSection,
  faultsSection,
  accountsSection,
  settingsSection,
  stateSection,
]
