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

/** What flags of other programs are called here. */
const otherFlags: Readonly<Record<string, string>> = {
  a: 'all',
  concurrency: 'jobs',
  dir: 'output-dir',
  f: 'yes',
  force: 'yes',
  format: 'json',
  n: 'limit',
  o: 'json',
  output: 'json',
  p: 'port',
  parallel: 'jobs',
  silent: 'quiet',
  threads: 'jobs',
  url: 'base-url',
}

/** A hint on the flag that an unknown one probably means. @param flags those that there are; none has dashes before it */
export function meantFlag(word: string, flags: readonly string[]): string | undefined {
  if (/^(api[-_]?key|key|token)$/.test(word)) {
    return 'Others can see a key on the command line: store it with fh login, or set FH_API_KEY'
  }
  const other = Object.hasOwn(otherFlags, word) ? otherFlags[word] : undefined
  const meant = other !== undefined && flags.includes(other) ? other : nearestWord(word, flags)
  return meant && `Did you mean --${meant}?`
}
