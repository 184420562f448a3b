// An emulator that sends its parent, for each message, the coverage since the message before.
import { Session } from 'node:inspector/promises'
import { createEmulator } from '../../emulator/index.ts'

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true })
const emulator = await createEmulator({ quotas: { burst: 60 } })
const { baseUrl } = await emulator.listen()
process.on('message', async () => process.send((await session.post('Profiler.takePreciseCoverage')).result))
process.send({ baseUrl, apiKey: emulator.apiKey })
