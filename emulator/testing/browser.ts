import { BrowserError } from '../../src/checks/coded-error.ts'

// What bundlers load for a page in place of filehost/emulator, filehost/msw and filehost/vitest: the names of all three.
// Jest's jsdom, which runs in Node, gets the emulator itself: it does not ask for the condition `module`, as bundlers do.

export {
  refuse as ConflictError,
  refuse as createEmulator,
  refuse as createVirtualClock,
  refuse as DataFolderError,
  refuse as EmulatorError,
  refuse as emulatorHandlers,
  refuse as MissingRecordError,
  refuse as SeedError,
  refuse as SettingError,
  refuse as SnapshotError,
  refuse as TakenError,
  refuse as TlsError,
  refuse as VerificationError,
  refuseAll as emulatorTest,
}

function refuse(): never {
  throw new BrowserError(
    'The emulator does not run in browsers. This is what bundlers load for a page, and Vitest for a test in a browser',
    'Start it in Node, and give the page its address: with Vitest in globalSetup, with MSW in setupServer ("Vitest in a browser" in docs/testing.md)',
  )
}

/** `extend`, `skip` and the other properties of a test function too. */
const refuseAll = new Proxy(refuse, { get: refuse })
