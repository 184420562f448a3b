import { dotenvLines } from '../../../src/environment/dotenv.ts'
import { neededVariables } from '../../../src/environment/emulator-variables.ts'
import { shellExports } from '../../../src/environment/shell-word.ts'
import { type Html, html } from '../../site/html/html.ts'
import { copyButton } from '../copy-button.ts'
import type { View } from '../section.ts'

type Variables = Readonly<Record<string, string>>

interface Block {
  readonly id: string
  readonly heading: string
  readonly copy: string
  lines(variables: Variables): readonly string[]
}

const blocks: readonly Block[] = [
  { id: 'env-sh', heading: 'sh', copy: 'Copy sh commands', lines: (variables) => shellExports(variables, 'sh') },
  {
    id: 'env-powershell',
    heading: 'PowerShell',
    copy: 'Copy PowerShell commands',
    lines: (variables) => shellExports(variables, 'powershell'),
  },
  { id: 'env-dotenv', heading: '.env', copy: 'Copy .env lines', lines: dotenvLines },
]

/** The variables that make fh, and programs like it, use this emulator, to copy. */
export function environment({ control, origin }: View): Html {
  const { api_key: apiKey, quotas } = control.connection()
  const { max_file_size: maxFileSize } = control.settings.get()
  const variables = neededVariables({ baseUrl: origin, apiKey, quotas, maxFileSize })
  return html`${
    apiKey === null &&
    html`<p>FH_API_KEY is missing: the accounts come from a snapshot, which has no keys. Make a new key for one of them.</p>\n`
  }${blocks.map(
    ({ id, heading, copy, lines }) =>
      html`<div class="env"><h4>${heading}</h4><pre id="${id}" tabindex="0" role="region" aria-label="Variables for ${heading}">${lines(variables).join('\n')}</pre>${copyButton({ from: id, name: copy })}</div>
`,
  )}`
}
