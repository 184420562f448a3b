/** The binary is made with Bun, which differs from Node where this is asked (docs/binaries.md). */
export const isBun = process.versions['bun'] !== undefined
