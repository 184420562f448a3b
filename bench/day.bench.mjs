// A day's quota in a test: 1,000 uploads of a client on the emulator's clock, beside a client that need not wait.
const library = new URL('../dist/index.js', import.meta.url).href
const emulators = new URL('../dist/emulator.js', import.meta.url).href
const count = 1_000
const rounds = 3

export async function run() {
  const { createClient, fetchTransport } = await import(library)
  const { createEmulator } = await import(emulators)
  const contenders = [
    { name: 'no quotas (floor)', quotas: 'none', times: [], hours: 0 },
    { name: 'default quotas', quotas: {}, times: [], hours: 0 },
  ]
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of contenders) {
      const emulator = await createEmulator({ clock: 'auto', quotas: contender.quotas })
      const { clock, apiKey } = emulator
      const startedAt = [performance.now(), clock.now()]
      const transport = fetchTransport(emulator.fetch)
      const client = createClient({ baseUrl: 'http://localhost', apiKey, clock, transport })
      for (let index = 0; index < count; index += 1) await client.upload(picture(index))
      contender.times.push(performance.now() - startedAt[0])
      contender.hours = (clock.now() - startedAt[1]) / 3_600_000
      await emulator.close()
    }
  }
  const least = (times) => Math.min(...times)
  const floor = least(contenders[0].times)
  console.table(
    contenders.map(({ name, times, hours }) => ({
      name,
      'hours of the service': Number(hours.toFixed(1)),
      [`seconds for ${count} uploads`]: Number((least(times) / 1_000).toFixed(2)),
      'ratio to floor': Number((least(times) / floor).toFixed(2)),
    })),
  )
}

function picture(index) {
  return new File([new Uint8Array([0xff, 0xd8, 0xff, 0xe0, index & 255, index >> 8])], `${index}.jpg`)
}
