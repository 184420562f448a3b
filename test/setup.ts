import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, vi } from 'vitest'

/** A fixed seed makes runs repeatable; SEED=… tries other cases. */
fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 20_261_121) })

/** The user's variables for fh, proxies and colours must not reach the tests; FH_CONTRACT_… and FH_TEST_… are meant for them. */
const steering =
  /^(FH_(?!CONTRACT_|TEST_)|XDG_|CI$|NO_COLOR$|FORCE_COLOR$|CLICOLOR|NODE_(OPTIONS|EXTRA_CA_CERTS)$)|_proxy$/i
for (const name of Object.keys(process.env)) if (steering.test(name)) delete process.env[name]

// Test files of one process must not share modules that one of them mocks: it finds none, and leaves none. Unit tests share
// all others, whose loading takes a quarter of their run; runs of fh and clients keep facts in theirs.
const shared = globalThis as { hasMocks?: boolean }
const hasMocks =
  process.env['TEST_SHARES_MODULES'] === undefined ||
  /\bvi\.\w*mock\(/i.test(readFileSync(expect.getState().testPath ?? '', 'utf8'))
if (hasMocks || shared.hasMocks) vi.resetModules()
shared.hasMocks = hasMocks
