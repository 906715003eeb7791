import { createMemoryStorage } from '../../server/storage/memory.ts'
import { describeRevocations } from '../contracts/revocations.ts'
import { describeStorage } from '../contracts/storage.ts'

describeStorage('memory', async () => createMemoryStorage())
describeRevocations('memory', async () => createMemoryStorage())
