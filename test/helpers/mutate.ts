type Random = (below: number) => number

const INTERESTING = [0, 1, 0x7f, 0x80, 0xff]

/** Changes bytes as chance has it, more often a little than much. */
export function mutate(bytes: Uint8Array, others: readonly Uint8Array[], random: Random): Buffer {
  let changed = Buffer.from(bytes)
  for (let changes = 1 + random(random(4) === 0 ? 30 : 3); changes > 0; changes--) {
    const at = random(changed.length + 1)
    const length = random(Math.min(40, changed.length - at) + 1)
    switch (random(8)) {
      case 0:
        if (at < changed.length) changed[at] = (changed[at] ?? 0) ^ (1 << random(8))
        break
      case 1:
        if (at < changed.length) changed[at] = INTERESTING[random(INTERESTING.length)] ?? 0
        break
      case 2:
        changed = Buffer.concat([changed.subarray(0, at), changed.subarray(at + length)])
        break
      case 3:
        changed = Buffer.concat([changed.subarray(0, at + length), changed.subarray(at)])
        break
      case 4:
        changed = Buffer.concat([changed.subarray(0, at), noise(1 + random(20), random), changed.subarray(at)])
        break
      case 5: // a number that is larger than anything
        changed = Buffer.concat([changed.subarray(0, at), Buffer.alloc(1 + random(9), 0xff), changed.subarray(at)])
        break
      case 6: {
        const other = others[random(others.length)] ?? bytes
        changed = Buffer.concat([changed.subarray(0, at), other.subarray(random(other.length + 1))])
        break
      }
      default:
        if (random(3) === 0) changed = changed.subarray(0, at)
    }
  }
  return changed
}

export const noise = (length: number, random: Random): Buffer => Buffer.from(Array.from({ length }, () => random(256)))
