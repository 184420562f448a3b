import icon from '../site/assets/icon.svg?text'
import { createAssetTable } from '../site/html/asset-table.ts'
import stylesheet from './assets/dashboard.css?text'
import script from './assets/main.ts?script'
import signIn from './assets/sign-in.ts?script'

/** The dashboard's own files, served below it: the website may be elsewhere. */
export const dashboardAssets = createAssetTable({
  'icon.svg': { text: icon, type: 'image/svg+xml' },
  'dashboard.css': { text: stylesheet, type: 'text/css; charset=utf-8' },
  'sign-in.js': { text: signIn, type: 'text/javascript; charset=utf-8' },
  'dashboard.js': { text: script, type: 'text/javascript; charset=utf-8' },
})
