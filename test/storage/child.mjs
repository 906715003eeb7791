// A server's storage in a process of its own, which a test may kill. Runs the compiled code.
// node child.mjs <directory> [thread ...]: appends to the threads for ever and prints "<thread> <version>" when a
// version is acknowledged; with no thread it prints "open" and holds the directory.
import { openSqliteStorage } from '../../dist/server/storage/sqlite/storage.js'

const [directory, ...threads] = process.argv.slice(2)

async function appendForEver(storage, thread) {
  let version = (await storage.open(thread))?.version ?? 0
  for (;;) {
    version += 1
    const mine = version
    const appended = storage.append(thread, {
      version: mine,
      at: 1_700_000_000_000,
      actor: { id: 'a1', name: 'Ada', kind: 'agent' },
      source: 'http',
      tool: 'todo_write',
      reasoning: '',
      summary: `change ${mine}`,
      update: new TextEncoder().encode(`${thread} ${mine};`.repeat(1 + (mine % 50))),
      idempotency: { actorId: 'a1', key: `k${mine}`, hash: 'h', reply: String(mine) },
    })
    const acknowledged = appended.then(() => process.stdout.write(`${thread} ${mine}\n`))
    // The whole document as of a version is here that version, in words.
    const snapped = mine % 7 === 0 ? storage.snapshot(thread, mine, new TextEncoder().encode(String(mine))) : null
    if (mine % 5 === 0) await Promise.all([acknowledged, snapped])
  }
}

try {
  const storage = await openSqliteStorage({ directory })
  if (threads.length === 0) process.stdout.write('open\n')
  else await Promise.all(threads.map((thread) => appendForEver(storage, thread)))
} catch (error) {
  process.stdout.write(`refused: ${error.message}\n`)
}
