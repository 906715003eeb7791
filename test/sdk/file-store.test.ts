import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { array, assert, nat, property, uint8Array } from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fileStore } from '../../client/sdk/file-store.ts'
import { frame, HEADER, readFrames } from '../../client/sdk/frames.ts'

const CHILD = fileURLToPath(new URL('file-store-child.mjs', import.meta.url))

async function newPath(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'planroom-store-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return join(directory, 'folder', 'plan.log')
}
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const words = (records: readonly Uint8Array[]): string[] => records.map((one) => new TextDecoder().decode(one))

/** Runs the child until it ends. @param killAfter lines that it may say before it is killed */
async function run(path: string, dieAt: number, where: 'before' | 'within', killAfter = Infinity) {
  const child = spawn(process.execPath, [CHILD, path, String(dieAt), where], { stdio: ['ignore', 'pipe', 'ignore'] })
  const said: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    said.push(line)
    if (said.length === killAfter) child.kill('SIGKILL')
  })
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  const last = (word: string): number => Number(said.findLast((line) => line.startsWith(word))?.split(' ')[1] ?? 0)
  return { code, signal, loaded: last('load'), sent: last('send'), kept: last('kept'), steps: last('steps') }
}

/** What a store holds: the numbers of its records, each whole. */
async function numbersIn(path: string): Promise<number[]> {
  const store = fileStore(path)
  const records = words(await store.load())
  await store.close()
  for (const record of records) {
    const n = Number.parseInt(record, 10)
    expect(record).toBe(`${n} ${'x'.repeat((n * 37) % 400)}`)
  }
  return records.map((record) => Number.parseInt(record, 10))
}

/** All that was kept is there, in order, and nothing that was never sent. */
async function check(path: string, { kept, sent }: { kept: number; sent: number }): Promise<number> {
  const numbers = await numbersIn(path)
  const last = numbers.at(-1) ?? 0
  expect(last).toBeGreaterThanOrEqual(kept)
  expect(last).toBeLessThanOrEqual(Math.max(sent, kept))
  expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] as number) + i))
  return last
}

describe('a file store', () => {
  test('gives back what was appended, in order, to the next who opens it', async () => {
    const path = await newPath()
    const store = fileStore(path)
    expect(await store.load()).toEqual([])
    await Promise.all(['a', 'b', '', 'ü'.repeat(10_000)].map((text) => store.append(bytes(text))))
    await store.replace([bytes('ab'), bytes('c')])
    await store.append(bytes('d'))
    await store.close()
    const again = fileStore(path)
    expect(words(await again.load())).toEqual(['ab', 'c', 'd'])
    const aside = await again.setAside()
    await again.clear()
    await again.append(bytes('e'))
    await again.close()
    expect(words(readFrames(readFileSync(aside)).records)).toEqual(['ab', 'c', 'd'])
    const last = fileStore(path)
    expect(words(await last.load())).toEqual(['e'])
    await last.close()
    await expect(last.append(bytes('f'))).rejects.toThrow('not open')
  })

  test('what was appended is with the system when the call returns', async () => {
    const path = await newPath()
    const store = fileStore(path)
    await store.load()
    const flushed = store.append(bytes('a'))
    expect(words(readFrames(readFileSync(path)).records)).toEqual(['a'])
    await flushed
    await store.close()
  })

  test('a torn end is cut off, and what is appended then can be read', async () => {
    const path = await newPath()
    const store = fileStore(path)
    await store.load()
    await store.append(bytes('a'))
    await store.close()
    const whole = readFileSync(path)
    const torn = frame(bytes('torn'))
    for (let length = 1; length < torn.length; length++) {
      writeFileSync(path, whole)
      appendFileSync(path, torn.subarray(0, length))
      const again = fileStore(path)
      expect(words(await again.load())).toEqual(['a'])
      await again.append(bytes('b'))
      await again.close()
      expect(words(readFrames(readFileSync(path)).records)).toEqual(['a', 'b'])
    }
  })

  test('[RL-22] a damaged record costs that record, and the damaged file is kept', async () => {
    const path = await newPath()
    const store = fileStore(path)
    await store.load()
    for (let n = 0; n < 50; n++) await store.append(bytes(`record ${n}`))
    await store.close()
    const damaged = readFileSync(path)
    const at = damaged.indexOf('record 17')
    damaged[at] = 0
    writeFileSync(path, damaged)
    const again = fileStore(path)
    const found = words(await again.load())
    expect(found).toEqual(Array.from({ length: 50 }, (_, n) => `record ${n}`).filter((one) => one !== 'record 17'))
    await again.close()
    expect(readdirSync(join(path, '..')).filter((name) => name.includes('damaged'))).toHaveLength(1)
  })

  test('something that is no store at all is kept aside, not overwritten', async () => {
    const path = await newPath()
    const store = fileStore(path)
    await store.load()
    await store.close()
    writeFileSync(path, 'my diary, which is long enough')
    const again = fileStore(path)
    expect(await again.load()).toEqual([])
    await again.append(bytes('a'))
    await again.close()
    const kept = readdirSync(join(path, '..')).find((name) => name.includes('damaged')) ?? ''
    expect(readFileSync(join(path, '..', kept), 'utf8')).toBe('my diary, which is long enough')
  })

  test('whatever bytes lie in the file, it opens, and gives back only whole records', () => {
    const record = uint8Array({ maxLength: 40 })
    assert(
      property(array(record, { maxLength: 8 }), nat(), nat(255), nat(), (records, at, value, cut) => {
        const file = Buffer.concat([HEADER, ...records.map(frame)])
        const position = at % file.length
        const before = file[position]
        file[position] = value
        const { records: found } = readFrames(file.subarray(0, file.length - (cut % 20)))
        const wanted = records.map((one) => Buffer.from(one).toString('hex'))
        for (const one of found) expect(wanted).toContain(Buffer.from(one).toString('hex'))
        if (before === value && cut % 20 === 0) expect(found).toHaveLength(records.length)
        else expect(found.length).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 500 },
    )
  })

  test('a second one in the same process, or in another, is refused; one that died leaves it free', async () => {
    const path = await newPath()
    const store = fileStore(path)
    await store.load()
    await expect(fileStore(path).load()).rejects.toThrow(`in use by process ${process.pid}`)
    const other = await run(path, 1_000, 'before')
    expect(other.code).toBe(1)
    await store.close()
    expect(existsSync(`${path}.lock`)).toBe(false)
    // The number of a process that is long gone, and one that was given to another process since.
    for (const lock of ['4194303 1', `${process.pid} 12`, '', 'nonsense']) {
      writeFileSync(`${path}.lock`, lock)
      const next = fileStore(path)
      await next.load()
      await next.close()
    }
  })
})

describe('kill -9', () => {
  test('at every step of its writing, nothing that was kept is lost', { timeout: 60_000 }, async () => {
    const probe = await newPath()
    const { steps, code } = await run(probe, 1_000, 'before')
    expect(code).toBe(0)
    expect(steps).toBeGreaterThan(20)
    const cases = Array.from({ length: steps }, (_, n) => n + 1).flatMap((step) =>
      (['before', 'within'] as const).map((where) => ({ step, where })),
    )
    const work = async (): Promise<void> => {
      for (let next = cases.pop(); next !== undefined; next = cases.pop()) {
        const path = await newPath()
        const first = await run(path, next.step, next.where)
        expect(first.signal, JSON.stringify(next)).toBe('SIGKILL')
        const last = await check(path, first)
        // And it goes on from there.
        const store = fileStore(path)
        await store.load()
        const n = last + 1
        await store.append(bytes(`${n} ${'x'.repeat((n * 37) % 400)}`))
        await store.close()
        expect((await numbersIn(path)).at(-1)).toBe(n)
      }
    }
    await Promise.all([work(), work(), work()])
  })

  test('from outside, again and again on one file, nothing that was kept is lost', { timeout: 60_000 }, async () => {
    const path = await newPath()
    let least = 0
    for (let round = 0; round < 12; round++) {
      const killed = await run(path, 0, 'before', 2 + ((round * 7919) % 97))
      expect(killed.signal).toBe('SIGKILL')
      expect(killed.loaded).toBeGreaterThanOrEqual(least)
      least = await check(path, killed)
    }
    expect(least).toBeGreaterThan(100)
  })
})
