import type { Verbosity } from '../output/reporter.ts'
import type { GlobalFlags } from './global-flags.ts'
import { type Environment, isOn } from './settings.ts'

/** How much a run says beside its data. */
export function verbosityOf(flags: GlobalFlags, env: Environment): Verbosity {
  return {
    quiet: flags.quiet === true,
    verbose: flags.verbose === true,
    debug: flags.debug ?? isOn(env['FH_DEBUG']),
  }
}
