import { expect, test } from 'vitest'
import { settingsDocument } from '../../../../emulator/settings/documentation.ts'

test('docs/settings.md says what the definitions say; npm run docs writes it anew', async () => {
  await expect(settingsDocument()).toMatchFileSnapshot('../../../../docs/settings.md')
})
