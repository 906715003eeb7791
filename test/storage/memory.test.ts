import { createMemoryStorage } from '../../server/storage/memory.ts'
import { describeStorage } from '../contracts/storage.ts'

describeStorage('memory', async () => createMemoryStorage())
