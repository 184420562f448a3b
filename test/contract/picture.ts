import { readFileSync } from 'node:fs'
import { mediaPath } from '../helpers/media.ts'

/** A small PNG, uploaded wherever any file will do. */
export const picture = readFileSync(mediaPath('picture.png'))
