import { createMemoryRecords } from '../../../../../emulator/storage/memory/memory-storage.ts'
import { recordStoreSuite } from '../record-store.suite.ts'

recordStoreSuite('memory', async (limits) => createMemoryRecords(limits))
