import { rm } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as Y from 'yjs'
import { rootsOf } from '../../shared/plan/document.ts'
import type { ShownPlan, ToolAnswer } from '../helpers/clients.ts'
import { callTool, getPlan, randomFrom, WireClient } from '../helpers/clients.ts'
import type { ServerProcess } from '../helpers/server-process.ts'
import { newDataDirectory, runServer, startServer } from '../helpers/server-process.ts'
import { readPlan, writeStep } from '../helpers/sockets.ts'

const THREAD = 'crash'
const AGENTS = ['ada', 'bob', 'cyd', 'dee', 'eve']
const CALLS = 50
/** So many of the calls of a round toggle a step of their own; the rest add one. */
const TOGGLES = 10

async function directoryFor(): Promise<string> {
  const { directory, remove } = await newDataDirectory()
  onTestFinished(remove)
  return directory
}
async function serve(directory: string): Promise<ServerProcess> {
  const server = await startServer(directory)
  onTestFinished(() => void server.kill9())
  return server
}

interface Call {
  readonly tool: 'add_todos' | 'toggle_todos'
  readonly args: object
  readonly name: string
  readonly key: string
}

/** Fifty calls of several agents. Each agent toggles steps that no other touches, so that what it means is certain. */
const callsOf = (round: string): Call[] =>
  Array.from({ length: CALLS }, (_, nth) => ({
    ...(nth < TOGGLES
      ? { tool: 'toggle_todos', args: { indices: [nth + 1] } }
      : { tool: 'add_todos', args: { steps: [{ text: textOf(round, nth) }] } }),
    name: AGENTS[nth % AGENTS.length] ?? '',
    key: `${round}-${nth}`,
  }))
const textOf = (round: string, nth: number): string => `call ${nth} of round ${round}`
const make = (url: string, { tool, args, name, key }: Call): Promise<ToolAnswer> =>
  callTool(url, THREAD, tool, args, { name, key })

/** Numbers of a plan of several are good for who has looked. */
const everybodyLooks = (url: string) =>
  Promise.all(AGENTS.map((name) => callTool(url, THREAD, 'list_todos', {}, { name })))

/** Everything that is in `some` stands in `all` in the same order. */
function expectSameOrder(some: readonly string[], all: readonly string[]): void {
  const known = new Set(some)
  expect(all.filter((id) => known.has(id))).toEqual(some)
}

describe('kill -9', () => {
  const SEED = Number(process.env['SEED'] ?? 20_260)
  const ROUNDS = 20

  test(
    `[RL-4] [RB-A2] [RB-B5] ${ROUNDS} times amid fifty calls, a writer and a watcher: all that was acknowledged or seen is there, once`,
    { timeout: 90_000 },
    async () => {
      const random = randomFrom(SEED)
      const directory = await directoryFor()
      let server = await serve(directory)
      const seeded = Array.from({ length: TOGGLES }, (_, nth) => ({ text: `to toggle ${nth}` }))
      await callTool(server.url, THREAD, 'add_todos', { steps: seeded })
      const writerDoc = new Y.Doc()
      const watcherDoc = new Y.Doc()
      const hits: number[] = []

      for (let round = 0; round < ROUNDS; round++) {
        // The moment of the kill. Nothing waits for it to be right: any moment must do. A burst takes some 60 ms.
        const moment = random(80_000) / 1_000
        try {
          const writer = WireClient.connect(server.socketUrl, THREAD, { doc: writerDoc, name: 'writer' })
          const watcher = WireClient.connect(server.socketUrl, THREAD, { doc: watcherDoc, name: 'watcher' })
          await Promise.all([writer.synced, watcher.synced, writer.acknowledged()])

          await everybodyLooks(server.url)
          // The burst, broken off in the middle.
          const calls = callsOf(String(round))
          const answers = new Map<string, ToolAnswer>()
          const echoed: string[] = []
          const writing = (async () => {
            for (let nth = 0; nth < CALLS; nth++) {
              const several = [0, 1].map((half) =>
                writer.write((doc) => writeStep(doc, `edit ${nth}.${half} of round ${round}`)),
              )
              echoed.push(...(await Promise.all(several)))
            }
          })().catch(() => {})
          const calling = calls.map((call) =>
            make(server.url, call).then(
              (answer) => void answers.set(call.key, answer),
              () => {},
            ),
          )
          await setTimeout(moment)
          await server.kill9()
          await Promise.all([...calling, writing, writer.closed, watcher.closed])
          hits.push(answers.size + echoed.length / 2)
          const seen = readPlan(watcherDoc)

          server = await serve(directory)
          const found = await getPlan(server.url, THREAD)
          expectWhole(found, calls, answers, [...echoed, ...seen.steps.map(({ id }) => id)])
          for (const { id, number, text } of seen.steps) {
            expect(found.steps.find((step) => step.id === id)).toMatchObject({ number, text })
          }
          expectSameOrder(
            seen.steps.map(({ id }) => id),
            found.steps.map(({ id }) => id),
          )

          // Everybody repeats what they are not sure of.
          await everybodyLooks(server.url)
          const again = await Promise.all(calls.map((call) => make(server.url, call)))
          again.forEach((answer, nth) => {
            expect(answer.success).toBe(true)
            const first = answers.get(calls[nth]?.key ?? '')
            if (first !== undefined) expect(answer).toMatchObject({ replayed: true })
            if (first !== undefined && nth >= TOGGLES) expect(answer.changed?.[0]?.id).toBe(first.changed?.[0]?.id)
          })
          const back = WireClient.connect(server.socketUrl, THREAD, { doc: writerDoc, name: 'writer' })
          await back.synced
          await back.acknowledged()
          await back.close()
          const whole = await getPlan(server.url, THREAD)
          expectSameOrder(
            found.steps.map(({ id }) => id),
            whole.steps.map(({ id }) => id),
          )
          const texts = whole.steps.map(({ text }) => text)
          expect(new Set(texts).size).toBe(texts.length)
          expect(texts).toEqual(expect.arrayContaining(readPlan(writerDoc).steps.map(({ text }) => text)))
          for (let nth = TOGGLES; nth < CALLS; nth++) expect(texts).toContain(textOf(String(round), nth))
          const wanted = round % 2 === 0 ? 'completed' : 'pending'
          expect(whole.steps.slice(0, TOGGLES).map(({ status }) => status)).toEqual(Array(TOGGLES).fill(wanted))
        } catch (error) {
          throw new Error(`seed ${SEED}, round ${round}, killed after ${moment} ms`, { cause: error })
        }
      }
      // Many kills hit work that was under way.
      expect(hits.filter((done) => done < 2 * CALLS).length).toBeGreaterThan(ROUNDS / 4)
    },
  )

  /** What was answered, echoed or seen is there, with the ids and numbers that were told. */
  function expectWhole(
    found: ShownPlan,
    calls: readonly Call[],
    answers: ReadonlyMap<string, ToolAnswer>,
    ids: readonly string[],
  ): void {
    const steps = new Map(found.steps.map((step) => [step.id, step]))
    for (const id of ids) expect(steps.has(id)).toBe(true)
    for (const { key, tool } of calls) {
      const [told] = answers.get(key)?.changed ?? []
      if (told === undefined) continue
      const { id, number, text } = told
      expect(steps.get(id)).toMatchObject(
        tool === 'add_todos' ? { number, text } : { number, text, status: statusTold(told) },
      )
      expect(answers.get(key)?.version).toBeLessThanOrEqual(found.version)
    }
  }
  const statusTold = (told: object): unknown => Reflect.get(told, 'status')
})

describe('the data of the server is lost', () => {
  test('[RL-5] (b) the plan comes back whole from a client that holds it, with its ids and numbers, and nothing is doubled', async () => {
    const directory = await directoryFor()
    const first = await serve(directory)
    const docs = [new Y.Doc(), new Y.Doc(), new Y.Doc()]
    const join = (server: ServerProcess, nth: number): WireClient =>
      WireClient.connect(server.socketUrl, THREAD, { doc: docs[nth] ?? new Y.Doc(), name: `author ${nth}` })
    const authors = docs.map((_, nth) => join(first, nth))
    await Promise.all(authors.map((author) => author.synced))
    // Several authors, edits of each other's steps, moves up and down, removals: of sockets and of tools.
    await callTool(
      first.url,
      THREAD,
      'add_todos',
      { steps: [{ text: 'a' }, { text: 'a.a', depth: 1 }, { text: 'b' }, { text: 'c' }] },
      { name: 'ada' },
    )
    for (const [nth, author] of authors.entries()) {
      for (let i = 0; i < 5; i++) await author.write((doc) => writeStep(doc, `${nth}.${i}`))
    }
    await callTool(first.url, THREAD, 'toggle_todos', { indices: [1, 3, 6] }, { name: 'bob' })
    await callTool(first.url, THREAD, 'remove_todos', { indices: [4, 7] }, { name: 'cyd' })
    await authors[1]?.write((doc) => {
      const { steps } = rootsOf(doc)
      const [known] = readPlan(doc).steps
      if (known !== undefined) steps.push([{ id: known.id, text: 'a, renamed' }])
    })
    const before = await getPlan(first.url, THREAD)
    await Promise.all(
      authors.map((author) =>
        author.until(
          (doc) => readPlan(doc).steps.length === before.steps.length && readPlan(doc).steps[0]?.text === 'a, renamed',
        ),
      ),
    )
    await first.kill9()
    await rm(directory, { recursive: true })

    const second = await serve(directory)
    expect((await fetch(`${second.url}/threads/${THREAD}`)).status).toBe(404)
    const returned = join(second, 2)
    await returned.synced
    await returned.acknowledged()
    expect((await getPlan(second.url, THREAD)).steps).toEqual(before.steps)

    for (const nth of [0, 1]) {
      const other = join(second, nth)
      await other.synced
      await other.acknowledged()
    }
    expect((await getPlan(second.url, THREAD)).steps).toEqual(before.steps)
    // And it is a plan to work with: numbers go on where they were.
    const highest = Math.max(...before.steps.map(({ number }) => number))
    const added = await callTool(second.url, THREAD, 'add_todos', { steps: [{ text: 'afterwards' }] })
    expect(added.changed?.[0]?.number).toBe(highest + 1)
  })
})

describe('SIGTERM', () => {
  test('amid fifty calls: exit code 0, and all that was acknowledged is there', async () => {
    const directory = await directoryFor()
    const first = await serve(directory)
    const watcher = WireClient.connect(first.socketUrl, THREAD)
    await watcher.synced
    await callTool(first.url, THREAD, 'add_todos', {
      steps: Array.from({ length: TOGGLES }, (_, nth) => ({ text: `to toggle ${nth}` })),
    })
    const calls = callsOf('term')
    const answers = new Map<string, ToolAnswer>()
    const refusals: string[] = []
    let stopped: ReturnType<ServerProcess['stop']> | undefined
    await Promise.all(
      calls.map((call) =>
        make(first.url, call).then(
          (answer) => {
            answers.set(call.key, answer)
            if (answers.size === 10) stopped = first.stop()
          },
          (error: unknown) => refusals.push(String(error)),
        ),
      ),
    )
    expect(await stopped).toEqual({ code: 0, signal: null })
    expect(await watcher.closed).toEqual({ code: 1012, reason: 'the server is going down' })
    expect(answers.size + refusals.length).toBe(CALLS)
    // Who is refused is told so, or finds the connection closed.
    for (const refusal of refusals) expect(refusal).toMatch(/^Error: 503 .*draining|: fetch failed|: terminated/)

    const second = await serve(directory)
    const { steps } = await getPlan(second.url, THREAD)
    for (const { changed } of answers.values())
      for (const { id, number, text } of changed ?? [])
        expect(steps).toContainEqual(expect.objectContaining({ id, number, text }))
    for (const { id } of readPlan(watcher.doc).steps) expect(steps.map((step) => step.id)).toContain(id)
    await Promise.all(calls.map((call) => make(second.url, call)))
    const texts = (await getPlan(second.url, THREAD)).steps.map(({ text }) => text)
    expect(texts.toSorted()).toEqual([...new Set(texts)].toSorted())
    expect(texts.length).toBe(CALLS)
  })

  test('a second server on the same data directory refuses, says why and ends with 1; the first goes on', async () => {
    const directory = await directoryFor()
    const first = await serve(directory)
    const second = await runServer(directory)
    expect(second.code).toBe(1)
    expect(second.output).toMatch(
      /^planroom: Another Planroom server is using the data directory .*Stop that server first/,
    )
    expect((await callTool(first.url, THREAD, 'add_todos', { steps: [{ text: 'a' }] })).success).toBe(true)
  })
})
