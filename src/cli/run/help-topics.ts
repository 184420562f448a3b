/** What can be explained besides commands. */
export const helpTopics = [
  { name: 'exit-codes', summary: 'what each exit code means' },
  { name: 'environment', summary: 'the variables fh heeds' },
] as const
