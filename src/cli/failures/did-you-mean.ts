import { nearestWord } from '../../internal.ts'

/** A hint that names the word that a misspelt one probably means; `otherwise` where none is near. */
export function didYouMean(word: string, words: readonly string[], otherwise: string): string {
  const near = nearestWord(word, words)
  return near === undefined ? otherwise : `Did you mean ${near}?`
}

/** What commands of other programs are called here. */
const otherWords: Readonly<Record<string, string>> = {
  add: 'upload',
  auth: 'login',
  cat: 'download -o -',
  copy: 'upload',
  cp: 'upload',
  curl: 'api',
  dir: 'list',
  fetch: 'download',
  info: 'show',
  init: 'login',
  man: 'help',
  open: 'show --open',
  pull: 'download',
  push: 'upload',
  put: 'upload',
  remove: 'delete',
  request: 'api',
  send: 'upload',
  serve: 'emulate',
  settings: 'config',
  signin: 'login',
  signout: 'logout',
  sync: 'upload -r',
  usage: 'quota',
  version: '--version',
  view: 'show',
  whoami: 'doctor',
}

/** The same for a command of `fh`. */
export function meantCommand(word: string, commands: readonly string[], otherwise: string): string {
  const other = Object.hasOwn(otherWords, word) ? otherWords[word] : undefined
  return other === undefined ? didYouMean(word, commands, otherwise) : `Did you mean ${other}?`
}
