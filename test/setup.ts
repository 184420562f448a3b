import fc from 'fast-check'

/** One seed for all, so that a run says the same tomorrow; SEED=… looks elsewhere, as does a larger number of runs. */
fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 20_261_121) })
