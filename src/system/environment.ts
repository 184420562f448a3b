/** The variables of a process, as of `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>
