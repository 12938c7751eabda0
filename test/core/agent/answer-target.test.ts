import { expect, test } from 'vitest'
import { call, calls } from '../../../proof/support/say.ts'
import { testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'

async function waiting(...ids: readonly string[]) {
  const { act } = toolbox()
  const replies = [calls(...ids.map((id) => call(id, 'act'))), 'Done.']
  const { agent } = testAgent({ replies, tools: [{ ...act(), needs: 'approval' }], onPartialSuspension: 'wait' })
  const run = agent.start('Go')
  await run.settled()
  return run
}

test('DEC-06 asks for a target and lists the calls if several are suspended', async () => {
  const run = await waiting('a', 'b')
  await expect(run.approve()).rejects.toMatchObject({
    code: 'ambiguous_call',
    message: 'Several calls are suspended: 1.a, 1.b. Name one.',
  })
})

test('DEC-06 treats an answer without a target as stale if no call is suspended, so a second one does no harm', async () => {
  const run = await waiting('a')
  expect(await run.approve()).toMatchObject({ answer: 'applied' })
  await run.settled()
  const message = `No call of run "${run.id}" is suspended.`
  const stale = { target: run.id, answer: 'stale', message }
  expect(await run.approve()).toEqual(stale)
  expect(await run.deny(undefined, { reason: 'no' })).toEqual(stale)
  expect(await run.respond(undefined, 1)).toEqual(stale)
  expect(await run.pass(undefined, 1)).toEqual(stale)
  expect(await run.edit(undefined, {})).toEqual(stale)
})

test('DEC-06 refuses decisions that are not a list, and shows the expected shape', async () => {
  const run = await waiting('a')
  const unreadable = new Proxy([], {
    get: () => {
      throw new Error('no')
    },
  })
  for (const given of [undefined, 'yes', { target: '1.a', action: 'resume' }, unreadable]) {
    await expect(run.decide(given as never)).rejects.toMatchObject({
      code: 'bad_decision',
      message:
        'The decisions are not a list. Expected a list of { target, action, … }; for one call use approve, deny, respond or edit. Nothing was stored.',
    })
  }
})
