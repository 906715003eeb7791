import type { PlanStore } from './store.ts'

const RECORDS = 'records'
const ASIDE = 'aside'

/**
 * A store in the browser's database.
 * @param name of the database: one for each plan, and for each account that uses this browser
 */
export function indexedDbStore(name: string, factory: IDBFactory = globalThis.indexedDB): PlanStore {
  let database: Promise<IDBDatabase> | null = null
  /** The keys that this store has seen. Another tab may have added others, and they are not this one's to replace. */
  let keys: IDBValidKey[] = []

  const open = (): Promise<IDBDatabase> => (database ??= openDatabase(factory, name))
  const write = async <T>(stores: string[], work: (transaction: IDBTransaction) => T): Promise<T> => {
    const transaction = (await open()).transaction(stores, 'readwrite')
    const result = work(transaction)
    await finished(transaction)
    return result
  }

  return {
    load: async () => {
      const transaction = (await open()).transaction([RECORDS], 'readonly')
      const records = transaction.objectStore(RECORDS)
      const [found, values] = await Promise.all([answer(records.getAllKeys()), readAll(records)])
      keys = found
      return values
    },
    append: async (record) => {
      const key = await write([RECORDS], (transaction) => answer(transaction.objectStore(RECORDS).add(record)))
      keys.push(await key)
    },
    replace: async (others) => {
      const old = keys
      const added = await write([RECORDS], (transaction) => {
        const records = transaction.objectStore(RECORDS)
        const fresh = others.map((record) => answer(records.add(record)))
        for (const key of old) records.delete(key)
        return fresh
      })
      keys = [...(await Promise.all(added)), ...keys.slice(old.length)]
    },
    setAside: async () => {
      const transaction = (await open()).transaction([RECORDS], 'readonly')
      const records = await readAll(transaction.objectStore(RECORDS))
      const at = new Date().toISOString()
      const key = await write([ASIDE], (writing) => answer(writing.objectStore(ASIDE).add({ at, records })))
      return `${name}/${ASIDE}/${String(await key)}`
    },
    clear: async () => {
      await write([RECORDS], (transaction) => transaction.objectStore(RECORDS).clear())
      keys = []
    },
    close: async () => {
      const opened = await database?.catch(() => null)
      opened?.close()
    },
  }
}

/** Record by record, so that one that cannot be read leaves the others. */
async function readAll(store: IDBObjectStore): Promise<Uint8Array[]> {
  try {
    return (await answer(store.getAll() as IDBRequest<unknown[]>)).filter((value) => value instanceof Uint8Array)
  } catch {
    const keys = await answer(store.getAllKeys())
    const values = await Promise.all(keys.map((key) => answer<unknown>(store.get(key)).catch(() => null)))
    return values.filter((value) => value instanceof Uint8Array)
  }
}

function openDatabase(factory: IDBFactory, name: string): Promise<IDBDatabase> {
  const request = factory.open(name, 1)
  request.addEventListener('upgradeneeded', () => {
    request.result.createObjectStore(RECORDS, { autoIncrement: true })
    request.result.createObjectStore(ASIDE, { autoIncrement: true })
  })
  return answer(request).then((database) => {
    // A newer page may want to change the database, or somebody to delete it.
    database.addEventListener('versionchange', () => database.close())
    return database
  })
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', (event) => {
      // Otherwise it would end the whole transaction.
      event.preventDefault()
      reject(request.error ?? new Error('The database did not say what is wrong.'))
    })
  })
}

function finished(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve())
    transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('The database gave up.')))
  })
}
