import { unlimited } from '../../../src/protocol/rate-limits.ts'
import { multipartForm } from '../../helpers/multipart-form.ts'
import { createAccount, spend } from '../accounts.ts'
import type { Clauses } from '../clauses.ts'
import { call, postForm } from '../media.ts'
import type { Answer, OwnTarget } from '../targets.ts'

const told = ({ headers }: Answer, name: string) => headers.get(`X-RateLimit-${name}`)

/** Choices on spec 8: quota headers and delays. */
export function quotaNoticeSilences(target: OwnTarget, { fact }: Clauses): void {
  const { control, clock } = target.emulator
  const stats = (account: OwnTarget) => call(account, 'GET', '/api/stats')
  const emptyUpload = (account: OwnTarget) => postForm(account, multipartForm({ name: 'other', content: '' }))

  const minuteEnd = ['Unix seconds of the start and 60', 'Unix seconds of the start and 60']

  fact('silence 91: the reset is the end of the minute in Unix seconds', minuteEnd, async () => {
    const { account } = createAccount(target)
    const start = Math.floor(clock.now() / 1_000)
    const reset = async () => {
      const value = Number(told(await stats(account), 'Reset'))
      return value < start ? `in seconds: ${value}` : `Unix seconds of the start and ${value - start}`
    }
    const first = await reset()
    await control.clock.advance('5s')
    return [first, await reset()]
  })

  const whoTells = { 200: true, 404: true, 422: true, 429: true, 401: false, 405: false }

  fact('silence 92: every answer after the quota check has quota headers', whoTells, async () => {
    const { account } = createAccount(target, { quotas: { burst: 12 } })
    const answers = [await stats(account), await call(account, 'GET', '/api/uploads/none'), await emptyUpload(account)]
    answers.push(await stats(account), await target.send('GET', '/api/stats'), await call(account, 'PUT', '/api/stats'))
    return Object.fromEntries(answers.map((answer) => [answer.status, told(answer, 'Limit') !== null]))
  })

  fact(
    'silence 93, 94: a refusal has no cost header, but the minute’s remaining units',
    [429, null, '40'],
    async () => {
      const answer = (await spend(createAccount(target).account, 21)).at(-1)
      return answer && [answer.status, told(answer, 'Cost'), told(answer, 'Remaining')]
    },
  )

  fact('silence 95: a refusal’s Retry-After is the whole seconds to the end of its window', ['10', '1'], async () => {
    const { account } = createAccount(target, { quotas: { ...unlimited, burst: 2 } })
    const refused = (await spend(account, 3)).at(-1)
    await control.clock.advance(9_999)
    return [refused, await stats(account)].map((answer) => answer?.headers.get('Retry-After'))
  })

  fact(
    'silence 96: an answer is delayed by 0 s at 80 % of the minute, by 1 s at 90 % and by 2 s at 100 %',
    [0, 1_000, 2_000],
    async () => {
      const { account } = createAccount(target, { quotas: { ...unlimited, minute: 10 } })
      await spend(account, 7)
      const delays: number[] = []
      for (let unit = 8; unit <= 10; unit += 1) {
        const before = clock.now()
        await stats(account)
        delays.push(clock.now() - before)
      }
      return delays
    },
  )
}
