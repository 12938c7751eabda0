import { expect, test } from 'vitest'
import { decisionRoutes } from './decision-routes.ts'
import { unclearAnswers } from './unclear-answers.ts'

test.for(decisionRoutes)(
  'DEC-06 SRV-01 over $name only a clear yes approves a call, and otherwise the call still waits',
  async ({ ask, clear }) => {
    const { agent, runId, paid, answers, approve } = await ask()
    const run = await agent.load(runId)
    const taken: unknown[] = []
    for (const value of unclearAnswers.filter((one) => !clear.includes(JSON.stringify(one)))) {
      for (const [way, answer] of answers.entries()) {
        const became = await answer(value).catch(() => 'refused')
        if (became === 'taken') taken.push([way, value])
      }
    }
    expect([taken, paid, (await run.result()).status]).toEqual([[], [], 'waiting'])
    await approve()
    await run.settled({ follow: true })
    expect(paid).toEqual([1])
  },
)

test('DEC-06 the table of unclear answers has 38 values besides true and false, each once', () => {
  expect(new Set(unclearAnswers.map((value) => JSON.stringify(value))).size).toBe(38)
})
