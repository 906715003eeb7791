import { expect, test } from 'vitest'
import * as Y from 'yjs'
import { deletePositions } from '../../shared/plan/apply.ts'
import { seeded } from '../dialects/seeded.ts'

test('many positions are deleted as they are one by one: for the copy, for its places, and for others', async () => {
  await seeded(150, (next, log) => {
    const doc = new Y.Doc()
    const array = doc.getArray<number>('outline')
    const other = new Y.Doc()
    let value = 0
    for (let i = 0; i < 12; i++) {
      const run = Array.from({ length: 1 + next(300) }, () => value++)
      array.insert(next(array.length + 1), run)
      if (next(2) === 0) array.delete(next(array.length), 1)
    }
    Y.applyUpdate(other, Y.encodeStateAsUpdate(doc))
    const before = array.toArray()
    const share = next(101)
    const gone = new Set(before.filter(() => next(100) < share))
    log.push(`${gone.size} of ${before.length}`)
    const wanted = before.filter((one) => !gone.has(one))
    const middle = Math.floor(wanted.length / 2)
    wanted.splice(middle, 0, -1)
    doc.transact(() => {
      // Yjs remembers where it found something last.
      for (let i = 0; i < 5; i++) array.get(next(array.length))
      deletePositions(array, before.flatMap((one, i) => (gone.has(one) ? [i] : [])).toReversed())
      array.insert(middle, [-1])
    })
    expect(array.toArray()).toEqual(wanted)
    expect(array.length).toBe(wanted.length)
    Y.applyUpdate(other, Y.encodeStateAsUpdate(doc))
    expect(other.getArray('outline').toArray()).toEqual(wanted)
    return Promise.resolve()
  })
})
