import type { PlanStore } from './store.ts'

const RECORDS = 'records'
const ASIDE = 'aside'

/**
 * A store in the browser's database.
 * @param name of the database: one for each plan, and for each account that uses this browser
 */
export function indexedDbStore(name: string, factory?: IDBFactory): PlanStore {
  let database: Promise<IDBDatabase> | null = null
  /** The keys that this store has seen. Another tab may have added others, and they are not this one's to replace. */
  let keys: IDBValidKey[] = []
  /** All that is written, one after the other. */
  let line: Promise<unknown> = Promise.resolve()
  /** Records that wait to be added together. */
  let waiting: { readonly records: Uint8Array[]; readonly added: Promise<void> } | null = null

  const open = (): Promise<IDBDatabase> => (database ??= openDatabase(name, factory))
  const inLine = <T>(work: () => Promise<T>): Promise<T> => {
    // What is appended from now on comes behind this.
    waiting = null
    const done = line.then(work)
    line = done.catch(() => {})
    return done
  }
  const write = async <T>(stores: string[], work: (transaction: IDBTransaction) => Promise<T>): Promise<T> => {
    const transaction = (await open()).transaction(stores, 'readwrite')
    const [result] = await Promise.all([work(transaction), finished(transaction)])
    return result
  }
  const addAll = (transaction: IDBTransaction, records: readonly Uint8Array[]): Promise<IDBValidKey[]> => {
    const store = transaction.objectStore(RECORDS)
    return Promise.all(records.map((record) => answer(store.add(record))))
  }

  return {
    channel: name,
    load: () =>
      inLine(async () => {
        const records = (await open()).transaction([RECORDS], 'readonly').objectStore(RECORDS)
        const [found, values] = await Promise.all([answer(records.getAllKeys()), readAll(records)])
        keys = found
        return values
      }),
    append: (record) => {
      if (waiting !== null) {
        waiting.records.push(record)
        return waiting.added
      }
      const records = [record]
      const added = inLine(async () => {
        if (waiting?.records === records) waiting = null
        keys.push(...(await write([RECORDS], (transaction) => addAll(transaction, records))))
      })
      waiting = { records, added }
      return added
    },
    replace: (others) =>
      inLine(async () => {
        const old = keys
        keys = await write([RECORDS], (transaction) => {
          const added = addAll(transaction, others)
          for (const key of old) transaction.objectStore(RECORDS).delete(key)
          return added
        })
      }),
    setAside: () =>
      inLine(async () => {
        const at = new Date().toISOString()
        const key = await write([RECORDS, ASIDE], async (transaction) => {
          const records = await readAll(transaction.objectStore(RECORDS))
          return answer(transaction.objectStore(ASIDE).add({ at, records }))
        })
        return `${name}/${ASIDE}/${JSON.stringify(key)}`
      }),
    clear: () =>
      inLine(async () => {
        await write([RECORDS], (transaction) => answer(transaction.objectStore(RECORDS).clear()))
        keys = []
      }),
    close: () =>
      inLine(async () => {
        const opened = await database?.catch(() => null)
        opened?.close()
      }),
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

/** Looked up only now: where a browser forbids its database, to name it is an error. */
async function openDatabase(name: string, factory?: IDBFactory): Promise<IDBDatabase> {
  const given: IDBFactory | undefined = factory ?? globalThis.indexedDB
  if (given === undefined) throw new Error('It has no database.')
  const request = given.open(name, 1)
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
