import copyScript from './assets/copy.ts?script'
import icon from './assets/icon.svg?text'
import stylesheet from './assets/site.css?text'
import uploadScript from './assets/upload.ts?script'
import { createAssetTable } from './html/asset-table.ts'

const css = 'text/css; charset=utf-8'
const script = 'text/javascript; charset=utf-8'

/** Every file that pages load. Their addresses are below the site's home. */
export const { path: assetPath, reply: assetReply } = createAssetTable({
  'icon.svg': { text: icon, type: 'image/svg+xml' },
  'copy.js': { text: copyScript, type: script },
  'site.css': { text: stylesheet, type: css },
  'upload.js': { text: uploadScript, type: script },
})
