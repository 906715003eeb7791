import { Agent, request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { callTool, newDirectory, newServer } from '../cli/bin.ts'
import { faultyDisk, hasFaultyDisk } from '../helpers/disk.ts'
import { startServer } from '../helpers/server-process.ts'

const T = 'drained'

interface Heard {
  readonly status: number
  readonly text: string
  readonly connection: string | undefined
}

/** One call over a connection of the agent. @returns null where nothing was connected: then nothing was asked */
function add(url: string, agent: Agent, text: string, key?: string): Promise<Heard | null> {
  return new Promise((resolve, reject) => {
    const headers = key === undefined ? {} : { 'Idempotency-Key': key }
    const asked = request(`${url}/threads/${T}/tools/add_todos`, { agent, method: 'POST', headers }, (answer) => {
      let body = ''
      answer.setEncoding('utf8').on('data', (part: string) => (body += part))
      answer.on('error', reject)
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, text: body, connection: answer.headers.connection })
      })
    })
    asked.on('error', (error: NodeJS.ErrnoException) => {
      // A connection that the system had taken, and the server had not, ends with the port.
      if (error.code === 'ECONNREFUSED' || (error.code === 'ECONNRESET' && !asked.reusedSocket)) resolve(null)
      else reject(new Error(`${text}: cut without an answer (${error.code})`))
    })
    asked.end(JSON.stringify({ steps: [{ text }] }))
  })
}

const keepAlive = (maxSockets: number): Agent => new Agent({ keepAlive: true, maxSockets })

async function textsOf(url: string): Promise<string[]> {
  const answer = await fetch(`${url}/threads/${T}`)
  return ((await answer.json()) as { steps: { text: string }[] }).steps.map(({ text }) => text)
}

describe('a server that is told to end', () => {
  test('[11-F2] says that nothing was changed only where that is so', async () => {
    const directory = await newDirectory()
    const server = await newServer({ PLANROOM_DRAIN_SECONDS: '0' }, directory)
    await callTool(server.url, T, 'add_todos', { steps: [{ text: 'first' }] })
    const answered: string[] = []
    const refused: string[] = []
    let stopped: Promise<unknown> | undefined
    const caller = async (who: number): Promise<void> => {
      for (let n = 0; ; n += 1) {
        const text = `call ${who}.${n}`
        const agent = new Agent()
        const heard = await add(server.url, agent, text, text).catch(() => undefined)
        agent.destroy()
        if (heard === null || heard === undefined) return
        if (heard.status === 200) answered.push(text)
        else {
          expect(heard.status).toBe(503)
          if (heard.text.includes('Nothing was changed')) refused.push(text)
          else expect(heard.text).toContain('Idempotency-Key')
          return
        }
        if (answered.length > 200) stopped ??= server.stop()
      }
    }
    await Promise.all(Array.from({ length: 24 }, (_, who) => caller(who)))
    expect(await stopped).toEqual({ code: 0, signal: null })
    const again = await startServer(directory)
    const texts = await textsOf(again.url)
    await again.kill9()
    for (const text of answered) expect(texts).toContain(text)
    for (const text of refused) expect(texts).not.toContain(text)
  })

  test('[11-F43] is not ready first, serves on, and answers whatever came over connections that are kept', async () => {
    const server = await newServer({ PLANROOM_DRAIN_SECONDS: '2' })
    await callTool(server.url, T, 'add_todos', { steps: [{ text: 'first' }] })
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    let stopped: Promise<unknown> | undefined
    let count = 0
    const caller = async (who: number): Promise<string[]> => {
      const agent = keepAlive(1)
      const statuses: string[] = []
      for (let n = 0; ; n += 1) {
        const heard = await add(server.url, agent, `call ${who}.${n}`)
        if (heard === null) break
        if (statuses.push(`${heard.status} ${heard.connection}`) > 1) count += 1
        // Whoever is refused has been answered.
        if (heard.status !== 200) break
        if (count >= 64) stopped ??= server.stop()
      }
      agent.destroy()
      return statuses
    }
    const callers = Promise.all(Array.from({ length: 64 }, (_, who) => caller(who)))
    const asksWhether = async (): Promise<string> => {
      for (;;) {
        const answer = await fetch(`${server.url}/readyz`)
        if (answer.status !== 200) return `${answer.status} ${await answer.text()}`
      }
    }
    expect(await asksWhether()).toMatch(/^503 .*shutting down/)
    // Not ready, and yet it serves.
    expect((await fetch(`${server.url}/threads/${T}`)).status).toBe(200)
    const heard = await callers
    expect(await stopped).toEqual({ code: 0, signal: null })
    const all = heard.flat()
    expect(all).toContain('200 keep-alive')
    expect(all).toContain('200 close')
    for (const one of all) expect(one).toMatch(/^(?:200|503) /)
  })
})

describe.skipIf(!hasFaultyDisk)('a disk that hangs', () => {
  test('[11-F41] calls are told that the outcome is unknown, and the server ends when it is told to', async () => {
    const disk = faultyDisk()
    const server = await newServer({ ...disk.env, PLANROOM_DRAIN_SECONDS: '0' })
    await callTool(server.url, T, 'add_todos', { steps: [{ text: 'first' }] })
    disk.hang()
    const heard = await add(server.url, new Agent(), 'second')
    expect([heard?.status, heard?.text]).toEqual([503, expect.stringContaining('outcome is unknown')])
    const ready = await fetch(`${server.url}/readyz`)
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('not-ready')])
    const other = await fetch(`${server.url}/threads/other/tools/list_todos`, { method: 'POST', body: '{}' })
    expect([other.status, await other.text()]).toEqual([503, expect.stringContaining('Nothing was changed')])
    await server.stop()
    expect(server.output()).toContain('closing failed')
  })
})
