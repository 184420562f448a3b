import { createMemoryRecords } from '../../../../../emulator/storage/memory/memory-records.ts'
import { recordStoreSuite } from '../record-store.suite.ts'

recordStoreSuite('memory', async (limits) => createMemoryRecords(limits))
