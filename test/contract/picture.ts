import { readFileSync } from 'node:fs'
import { mediaPath } from '../helpers/media.ts'

/** A small PNG. */
export const picture = readFileSync(mediaPath('picture.png'))
