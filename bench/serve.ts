import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A folder for a server's data, deleted when the work is done. */
export async function withDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'planroom-bench-'))
  try {
    return await work(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/**
 * Runs work against a server in a process of its own, on a port that the system gives it.
 * @param work is given the address and the id of the process
 */
export async function withServer<T>(directory: string, work: (url: string, pid: number) => Promise<T>): Promise<T> {
  const env = {
    ...process.env,
    PORT: '0',
    HOST: '127.0.0.1',
    PLANROOM_DATA_DIR: directory,
    PLANROOM_LOG_LEVEL: 'info',
  }
  const server = spawn(process.execPath, ['dist/server/main.js'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(server, 'exit')
  try {
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: server.stdout }).on('line', (line) => {
        const found = /"url":"([^"]+)".*listening on/.exec(line)?.[1]
        if (found !== undefined) resolve(found)
      })
      void ended.then(() => reject(new Error('The server ended before it listened.')))
    })
    return await work(url, server.pid ?? 0)
  } finally {
    server.kill()
    await ended
  }
}
