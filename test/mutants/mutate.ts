import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Plugin } from 'vite'

/** A rule that is broken by replacing a text of its source. */
export interface Mutant {
  readonly id: string
  /** The rule, in words. */
  readonly rule: string
  readonly file: string
  /** The tests that are to notice, quickest first. */
  readonly tests: readonly string[]
  /** A text that the source has exactly once. */
  readonly from: string
  readonly to: string
  /** Why it may survive; absent where a test must kill it. */
  readonly known?: string
}

/**
 * Reads a list of rules by their sources: below a source and its tests, each rule with its name, and below that the lines
 * that are taken out (-), those that replace them (+), and why the rule may stay broken (?). The test `own` is the unit test
 * of the source; `name = path` gives another one a short name, and what begins with # is left out.
 */
export function mutantsIn(list: string): readonly Mutant[] {
  const parts = list.trim().split(/\n+(?=\S)/)
  const names = new Map(parts.flatMap((part) => [/^(\w+) = (\S+)$/.exec(part)?.slice(1) ?? []] as [string, string][]))
  return parts
    .filter((part) => /^\S+: /.test(part) && !part.startsWith('#'))
    .flatMap((part) => {
      const [place = '', ...rules] = part.split(/\n {2}(?=\S)/)
      const [file = '', ...tests] = place.split(/[:,] /)
      const own = `test/unit/${file.replace(/^src\//, '').replace(/\.ts$/, '.test.ts')}`
      return rules.map((rule) => ({
        file,
        tests: tests.map((test) => (test === 'own' ? own : (names.get(test) ?? test))),
        ...readRule(rule),
      }))
    })
}

function readRule(text: string) {
  const [title = '', ...lines] = text.split('\n')
  const [, id = '', rule = ''] = /^(\S+): (.*)$/.exec(title) ?? []
  const marked = (mark: string) =>
    lines.flatMap((line) => (line.startsWith(`    ${mark} `) ? [line.slice(6)] : [])).join('\n')
  const known = marked('?')
  return { id, rule, from: marked('-'), to: marked('+'), ...(known !== '' && { known }) }
}

/** @throws Error that names the mutant whose text the source does not have exactly once */
export function mutated(source: string, { id, file, from, to }: Mutant): string {
  const [before = '', ...after] = source.split(from)
  if (after.length === 1) return `${before}${to}${after[0]}`
  throw new Error(`${id}: ${file} has its text ${after.length === 0 ? 'nowhere' : `${after.length} times`}: ${from}`)
}

/** What keeps a list from being tried: each problem names its mutant. */
export function problemsOf(mutants: readonly Mutant[]): readonly string[] {
  const ids = mutants.map(({ id }) => id)
  return mutants.flatMap((mutant, index) => [
    ...(ids.indexOf(mutant.id) < index ? [`${mutant.id}: two mutants have this name`] : []),
    ...mutant.tests.filter((path) => !existsSync(path)).map((path) => `${mutant.id}: there is no ${path}`),
    ...textProblem(mutant),
  ])
}

function textProblem(mutant: Mutant): readonly string[] {
  if (!existsSync(mutant.file)) return [`${mutant.id}: there is no ${mutant.file}`]
  try {
    mutated(readFileSync(mutant.file, 'utf8'), mutant)
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

/** Breaks the rule in memory as the source is loaded; the work tree stays as it is. */
export function mutation(mutant: Mutant): Plugin {
  const path = resolve(mutant.file)
  return {
    name: 'mutation',
    enforce: 'pre',
    transform: (code, id) => (pathOf(id) === path ? mutated(code, mutant) : undefined),
  }
}

/** Of a source, or of one that is carried as text. */
function pathOf(id: string): string {
  return id.replace(/^\0page-asset:(.*)\.js$/, '$1').replace(/\?.*/, '')
}
