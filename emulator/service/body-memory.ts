/** A part of the memory for bodies. It is used again and again: what is allocated for each body would soon be garbage. */
interface Block {
  readonly memory: Buffer
  /** Grows whenever the block begins to be used again: what was in it before is lost. */
  turn: number
  /** Its first bytes are in use. */
  used: number
  /** When it was last given out, by the count of the caller. */
  lastUse: number
}

/** So many bytes of a block, until it is used again. */
export interface Room {
  readonly bytes: Buffer
  readonly block: Block
  readonly turn: number
}

export function isLost(room: Room): boolean {
  return room.block.turn !== room.turn
}

const blockBytes = 131_072

/**
 * @param mostBytes in multiples of 128 KiB; what is written beyond them takes the place of the oldest
 * @param lasting a block that was last given out so long ago, by the count of the caller, is not needed
 */
export function createBodyMemory(mostBytes: number, lasting: number) {
  // The one in use is the last, and the one that was used longest ago the first.
  const blocks: Block[] = []

  const freshBlock = (now: number): Block => {
    const [oldest] = blocks
    const isFull = blocks.length * blockBytes >= mostBytes
    if (oldest === undefined || (!isFull && now - oldest.lastUse < lasting)) {
      const block = { memory: Buffer.allocUnsafeSlow(blockBytes), turn: 0, used: 0, lastUse: now }
      blocks.push(block)
      return block
    }
    blocks.push(...blocks.splice(0, 1))
    oldest.turn += 1
    oldest.used = 0
    return oldest
  }

  return {
    /** @param length at most 64 KiB; @param now the count of the caller, which grows */
    take(length: number, now: number): Room {
      const last = blocks.at(-1)
      const block = last !== undefined && last.used + length <= blockBytes ? last : freshBlock(now)
      const { memory, turn, used } = block
      block.used += length
      block.lastUse = now
      return { bytes: memory.subarray(used, used + length), block, turn }
    },
  }
}
