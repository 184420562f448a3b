/** An upload's place in its account: by instant, then by id. */
export interface Age {
  readonly createdAt: number
  readonly id: number
}

export function isOlder(one: Age, other: Age): boolean {
  return one.createdAt === other.createdAt ? one.id < other.id : one.createdAt < other.createdAt
}
