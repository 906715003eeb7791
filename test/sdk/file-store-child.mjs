/**
 * Writes into a file store until it is killed, or kills itself at a step of its writing.
 * Arguments: the path of the store; the step to die at (0: never); `before` it, or `within` it (half of the bytes written).
 * Says `load N`, `send N` before and `kept N` after a record was given to the store, as soon as it is so.
 */
import { writeSync } from 'node:fs'
import { fileStore } from '../../dist/client/sdk/file-store.js'
import { fileSystem } from '../../dist/client/sdk/file-system.js'

const [path, dieAt, where] = process.argv.slice(2)
const say = (line) => writeSync(1, `${line}\n`)
let steps = 0

const die = () => {
  process.kill(process.pid, 'SIGKILL')
  // The signal is on its way; nothing may happen meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

/** A step of writing; reading is none. `half` does half of it, where there is such a thing. */
const mortal =
  (work, half) =>
  (...args) => {
    if (++steps !== Number(dieAt)) return work(...args)
    if (where === 'within') half?.(...args)
    return die()
  }

const fs = fileSystem()
const halfOf = (bytes) => bytes.subarray(0, bytes.length >> 1)
const watched = {
  ...fs,
  write: mortal(fs.write, (file, bytes) => fs.write(file, halfOf(bytes))),
  create: mortal(fs.create, (file, bytes) => fs.create(file, halfOf(bytes))),
  truncate: mortal(fs.truncate, fs.truncate),
  rename: mortal(fs.rename, fs.rename),
  remove: mortal(fs.remove, fs.remove),
  openToAppend: (file) => {
    const handle = fs.openToAppend(file)
    return { ...handle, append: mortal(handle.append, (bytes) => handle.append(halfOf(bytes))) }
  },
}

/** A record: its number, and some bytes that depend on it. */
const record = (n) => new TextEncoder().encode(`${n} ${'x'.repeat((n * 37) % 400)}`)
const store = fileStore(path, watched)
const found = await store.load()
let n = Math.max(0, ...found.map((bytes) => Number.parseInt(new TextDecoder().decode(bytes), 10)))
say(`load ${n}`)
for (let round = 0; Number(dieAt) === 0 || round < 12; round++) {
  say(`send ${++n}`)
  const flushed = store.append(record(n))
  say(`kept ${n}`)
  if (round % 5 === 4) await store.replace([record(n)])
  if (round % 7 === 6) await store.setAside()
  if (round % 3 === 2) await flushed
}
await store.close()
say(`steps ${steps}`)
