import { ArgumentError } from '../../src/checks/coded-error.ts'
import { nearestWord, quoted } from '../../src/checks/words.ts'

type Method = (this: unknown, ...given: unknown[]) => object

/**
 * Vitest takes any name for a fixture of the user's own, so a misspelt option would change nothing in silence: makes
 * `extend` and `override` refuse names that are nearly those of options.
 */
export function checkedExtend<Api extends object>(api: Api, options: readonly string[]): Api {
  const checked = (method: Method, wrap: (extended: object) => object): Method =>
    function (...given) {
      refuseMisspelt(given[0], options)
      return wrap(method.apply(this, given))
    }
  const { extend, override, scoped } = api as Readonly<Record<string, Method | undefined>>
  return Object.assign(api, {
    ...(extend && { extend: checked(extend, (extended) => checkedExtend(extended, options)) }),
    ...(override && { override: checked(override, (same) => same) }),
    // Of Vitest before 4.1.
    ...(scoped && { scoped: checked(scoped, (same) => same) }),
  })
}

/** @param given fixtures by their names, or the name of one */
function refuseMisspelt(given: unknown, options: readonly string[]): void {
  for (const name of typeof given === 'string' ? [given] : Object.keys(Object(given))) {
    const meant = options.includes(name) ? undefined : nearestWord(name, options)
    if (meant === undefined) continue
    const advice = `Did you mean ${quoted(meant)}? A fixture of your own needs a name that is less like it`
    throw new ArgumentError('unknown-option', `emulatorTest has no option ${quoted(name)}. ${advice}`)
  }
}
