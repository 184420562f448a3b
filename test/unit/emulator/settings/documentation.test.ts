import { expect, test } from 'vitest'
import { settingsDocument } from '../../../../build/settings-document.ts'

test('docs/settings.md is what npm run docs writes from the definitions', async () => {
  await expect(settingsDocument()).toMatchFileSnapshot('../../../../docs/settings.md')
})
