import { describe, expect, test, vi } from 'vitest'
import * as Y from 'yjs'
import { randomFrom } from '../helpers/clients.ts'
import {
  addCall,
  agent,
  human,
  isPending,
  quiet,
  RoomClient,
  T,
  testRooms,
  textsIn,
  textsOf,
  writeStep,
} from '../helpers/sockets.ts'

describe('random replicas', () => {
  const SEED = Number(process.env['SEED'] ?? 4_711)

  test(
    'edit at once, drop updates and come back, under appends that are held and fail: all agree, nothing acknowledged is lost',
    { timeout: 60_000 },
    async () => {
      const random = randomFrom(SEED)
      const trace: string[] = []
      const errors = vi.spyOn(console, 'error')
      try {
        for (let run = 0; run < 30; run++) {
          trace.length = 0
          const { rooms, storage } = testRooms()
          const docs = [new Y.Doc(), new Y.Doc(), new Y.Doc()]
          const clients = new Map<number, RoomClient>()
          const acknowledged: string[] = []
          const connect = async (nth: number): Promise<void> => {
            const room = await rooms.hold(T).then(
              (held) => held.room,
              () => null,
            )
            if (room === null) return
            let client: RoomClient
            try {
              client = new RoomClient(room, human(`human ${nth}`))
            } catch {
              return // the room failed while it was entered; the next attempt finds another
            }
            Y.applyUpdate(client.doc, Y.encodeStateAsUpdate(docs[nth] ?? new Y.Doc()))
            docs[nth] = client.doc
            client.ask()
            clients.set(nth, client)
          }
          for (let turn = 0; turn < 60; turn++) {
            const nth = random(docs.length)
            const client = clients.get(nth)
            const dice = random(12)
            trace.push(`${turn}: ${nth} ${dice}`)
            if (client === undefined || client.socket.closed !== null) await connect(nth)
            else if (dice < 4) writeStep(client.doc, `${run}.${turn}`)
            else if (dice < 6) client.pump()
            else if (dice === 6) {
              client.leave()
              clients.delete(nth)
            } else if (dice === 7) client.sends = !client.sends
            else if (dice === 8) storage.hold('append')
            else if (dice === 9) storage.release('append')
            else if (dice === 10 && random(3) === 0)
              storage.failNextAppend(new Error('disk'), { stored: random(2) === 0 })
            else {
              const text = `${run}.${turn} tool`
              void rooms
                .use(T, (room) => room.call(addCall(text, agent('ada'), text)))
                .then(
                  () => acknowledged.push(text),
                  () => {},
                )
            }
            if (random(3) === 0) await quiet()
          }
          storage.release('append')
          await quiet()
          // Nobody can know of a lost update that nothing leans on, until its client comes back, as all do now.
          for (const client of clients.values()) client.leave()
          clients.clear()
          // Failures that are left over strike on the way.
          for (let round = 0; round < 12; round++) {
            for (const [nth] of docs.entries()) {
              const client = clients.get(nth)
              if (client === undefined || client.socket.closed !== null || !client.sends) await connect(nth)
              clients.get(nth)?.pump()
            }
            await quiet()
          }
          const texts = await rooms.use(T, textsOf)
          expect(new Set(texts).size).toBe(texts.length)
          expect(texts).toEqual(expect.arrayContaining(acknowledged))
          for (const { doc } of clients.values()) {
            expect(textsIn(doc)).toEqual(texts)
            expect(isPending(doc)).toBe(false)
          }
        }
      } catch (error) {
        throw new Error(`seed ${SEED}: ${trace.join(', ')}`, { cause: error })
      }
      expect(errors).not.toHaveBeenCalled()
    },
  )
})
