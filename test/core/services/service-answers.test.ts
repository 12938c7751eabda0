import { expect, test } from 'vitest'
import { calls } from '../../../proof/support/say.ts'
import { runId } from '../../../proof/support/test-agent.ts'
import { banking, done, pay } from './banking.ts'

test("SVC-05 shows the model the beginning of a service's error text", async () => {
  const { start, sent, agent, prompts } = banking()
  await start()
  const data = { errorMessage: `No money.${'!'.repeat(100_000)}` }
  await agent.receive(done((await sent())[0], { type: 'sys.com.bank.payment.error', data }))
  await (await agent.load(runId)).settled()
  const heard = prompts[1]?.find((line) => line.includes('No money.')) ?? ''
  expect(heard.length).toBeGreaterThan(9_000)
  expect(heard.length).toBeLessThan(11_000)
})

test('SVC-04 DEC-08 counts two answers with one id as two if they have two sources', async () => {
  const { start, sent, agent } = banking({ replies: [calls(pay('a'), pay('b')), 'Both paid.'] })
  await start()
  const [first, second] = await sent()
  expect(await agent.receive(done(first, { id: '1', source: '/north' }))).toMatchObject({ answer: 'applied' })
  expect(await agent.receive(done(second, { id: '1', source: '/south' }))).toMatchObject({ answer: 'applied' })
  expect(await (await agent.load(runId)).settled()).toMatchObject({ status: 'done', text: 'Both paid.' })
})
