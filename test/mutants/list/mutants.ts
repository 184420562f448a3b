import { readdirSync, readFileSync } from 'node:fs'
import { mutantsIn } from '../mutate.ts'

const folder = 'test/mutants/list'

/** Every rule that a test must notice when it is broken. */
export const mutants = readdirSync(folder)
  .filter((name) => name.endsWith('.txt'))
  .flatMap((name) => mutantsIn(readFileSync(`${folder}/${name}`, 'utf8')))
