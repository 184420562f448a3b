/** A part of the memory for bodies. It is used again and again: what is allocated for each body would soon be garbage. */
interface Block {
  readonly memory: Buffer
  /** Grows whenever the block begins to be used again: what was in it before is lost. */
  turn: number
  /** Its first bytes are in use. */
  used: number
  /** When it was last given out or closed, by the count of the caller. */
  lastUse: number
  /** Its rooms that are not closed. */
  open: number
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
 * @param lasting a block without open rooms that was last in use so long ago, by the count of the caller, is not needed
 */
export function createBodyMemory(mostBytes: number, lasting: number) {
  // The one in use is the last, and the one that was used longest ago the first.
  const blocks: Block[] = []

  const freshBlock = (now: number): Block => {
    const isFull = blocks.length * blockBytes >= mostBytes
    const free = blocks.findIndex(({ open, lastUse }) => open === 0 && (isFull || now - lastUse >= lasting))
    const [again] = free >= 0 || isFull ? blocks.splice(Math.max(free, 0), 1) : []
    const turn = again === undefined ? 0 : again.turn + 1
    const block = again ?? { memory: Buffer.allocUnsafeSlow(blockBytes), turn, used: 0, lastUse: now, open: 0 }
    blocks.push(Object.assign(block, { turn, used: 0, open: 0 }))
    return block
  }

  return {
    /** Gives room that stays until it is closed. @param length at most 64 KiB; @param now the count of the caller, which grows */
    take(length: number, now: number): Room {
      const last = blocks.at(-1)
      const block = last !== undefined && last.used + length <= blockBytes ? last : freshBlock(now)
      const { memory, turn, used } = block
      block.used += length
      block.lastUse = now
      block.open += 1
      return { bytes: memory.subarray(used, used + length), block, turn }
    },
    /** Opens a closed room again; only one of the block in use, as others may soon be used again. @returns whether it did */
    reopen(room: Room, now: number): boolean {
      if (isLost(room) || room.block !== blocks.at(-1)) return false
      room.block.lastUse = now
      room.block.open += 1
      return true
    },
    /** Nothing more is written to it: its block may be used again once that has lasted. */
    close(room: Room, now: number): void {
      if (isLost(room)) return
      room.block.open -= 1
      room.block.lastUse = now
    },
  }
}
