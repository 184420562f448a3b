import { dotenvLines } from '../../../src/environment/dotenv.ts'
import { neededVariables } from '../../../src/environment/emulator-variables.ts'
import { shellExports } from '../../../src/environment/shell-word.ts'
import { type Child, h } from './dom.ts'
import { copyButton } from './forms.ts'
import { known } from './view.ts'

type Variables = Readonly<Record<string, string>>

interface Block {
  readonly heading: string
  readonly copy: string
  lines(variables: Variables): readonly string[]
}

const blocks: readonly Block[] = [
  { heading: 'sh', copy: 'Copy sh commands', lines: (all) => shellExports(all, 'sh') },
  { heading: 'PowerShell', copy: 'Copy PowerShell commands', lines: (all) => shellExports(all, 'powershell') },
  { heading: '.env', copy: 'Copy .env lines', lines: dotenvLines },
]

/** The variables that make fh, and programs like it, use this emulator, to copy. */
export function environment(): Child {
  const { connection, settings } = known
  if (connection === undefined || settings === undefined) return false
  const { api_key: apiKey, quotas } = connection
  const baseUrl = location.origin
  const variables = neededVariables({ baseUrl, apiKey, quotas, maxFileSize: settings.max_file_size })
  return h(
    'div.environment',
    apiKey === null &&
      h(
        'p',
        'FH_API_KEY is missing: the accounts come from a snapshot, which has no keys. Make a new key for one of them.',
      ),
    blocks.map(({ heading, copy, lines }) => {
      const text = lines(variables).join('\n')
      const button = copyButton(copy, () => `${text}\n`)
      return h(
        'div',
        h('div.row', h('h4', heading), button),
        h('pre', { tabindex: 0, role: 'region', 'aria-label': `Variables for ${heading}` }, text),
      )
    }),
  )
}
