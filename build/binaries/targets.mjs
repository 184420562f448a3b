/**
 * What is in a binary beside fh: this version of Bun, from npm, whose tarballs have these integrities. On x64 it is the build
 * that runs on processors without AVX2 too.
 */
export const bunVersion = '1.4.5'

/** The name of each target, which is also the end of its file's name. */
export const targets = {
  'linux-x64': {
    runtime: 'linux-x64-baseline',
    integrity: 'sha512-s8yMwYcFnnrA178gji0gZbkE2WVDej/Ti1x770oPfihxyRxSMNhGhiAQNXV53aDeraZxksdvKV/RAdQBCd0qPA==',
  },
  'linux-arm64': {
    runtime: 'linux-aarch64',
    integrity: 'sha512-4BXmsSKnjOrlGWqZV4x/oWa7AVoR+B6lCXddMzOAXBIm3t50eslg9wb66gmtW1AamEQ1l1CDvmmruysEhqOWMg==',
  },
  'linux-x64-musl': {
    runtime: 'linux-x64-musl-baseline',
    integrity: 'sha512-cWJhU8h0+MiUgpSt99sQhjxLIIosKEcKYdtKddohokUvAuN6jKOy7g7+QDTZTXtwHxz93wL3BX+L6wXVPDUH3A==',
  },
  'linux-arm64-musl': {
    runtime: 'linux-aarch64-musl',
    integrity: 'sha512-XCNc+WvvMAdNNb+OWTogpy+N9wm62fkVeEVLb6how0RZhW5LPi6c7BlkeVCuWps7XjEl2saFpHFa20/1E+PAHg==',
  },
  'darwin-x64': {
    runtime: 'darwin-x64-baseline',
    integrity: 'sha512-zqfLA5A4B+hYMh5WYzYSot3uZ06FzhdP0OEwQisEzdirYtXGj5cQFlfy31BGfNsAsk1Gd/w/OxJ/jqqJ3cMclw==',
  },
  'darwin-arm64': {
    runtime: 'darwin-aarch64',
    integrity: 'sha512-4MIFXHmctH2EhAxLXm2/qxNtv17dFtLJylvaOCsrgq6KSqHTs6eW5YSrJjRbJxYUJaR901fsN8JfZOa+CsWpWQ==',
  },
  'windows-x64': {
    runtime: 'windows-x64-baseline',
    integrity: 'sha512-/U3Dc74uGqE6EUqef7mPtg9KwJs7iJH4JHRMfIZIn18MrJh6Xz4gVvWDXRvzCL2j8wPlTnJVyrO4n7Qq4uM7TQ==',
  },
}

/** The target that runs on this machine. */
export function ownTarget() {
  const system = { linux: 'linux', darwin: 'darwin', win32: 'windows' }[process.platform]
  const isMusl = system === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined
  return `${system}-${process.arch}${isMusl ? '-musl' : ''}`
}

export const isWindows = (target) => target.startsWith('windows-')

export const binaryOf = (target) => `binaries/fh-${target}${isWindows(target) ? '.exe' : ''}`
