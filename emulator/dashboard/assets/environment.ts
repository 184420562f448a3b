import { neededVariables } from '../../../src/environment/emulator-variables.ts'
import { dotenvLines, shellExports } from '../../../src/environment/shell-word.ts'
import { copyButton } from './buttons.ts'
import type { PageState } from './store.ts'
import { type View, view } from './view.ts'

/** The variables that make fh, and programs like it, use this emulator, to copy. */
export function environment({ connection, settings }: PageState): View {
  if (connection === undefined || settings === undefined) return ''
  const { api_key: apiKey, quotas } = connection
  const all = neededVariables({ baseUrl: location.origin, apiKey, quotas, maxFileSize: settings.max_file_size })
  const blocks = [
    ['sh', 'Copy sh commands', shellExports(all, 'sh')],
    ['PowerShell', 'Copy PowerShell commands', shellExports(all, 'powershell')],
    ['.env', 'Copy .env lines', dotenvLines(all)],
  ] as const
  const missing =
    'FH_API_KEY is missing: the accounts come from a snapshot, which has no keys. Make a new key for one of them.'
  return view`<div class="environment">${apiKey === null && view`<p>${missing}</p>`}${blocks.map(
    ([name, copy, lines]) => {
      const text = lines.join('\n')
      return view`<div class="stack"><div class="row"><h4>${name}</h4>${copyButton(copy, () => `${text}\n`)}</div>
      <pre tabindex="0" role="region" aria-label=${`Variables for ${name}`}>${text}</pre></div>`
    },
  )}</div>`
}
