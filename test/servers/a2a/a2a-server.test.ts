import { TaskState } from '@a2a-js/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { mailer } from '../mailer.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { answerOf, asTask, connect, saying, serve } from './client.ts'

const sendTo = (to: string, id = 'c') => ({ toolCalls: [{ id, name: 'send', arguments: { to } }] })

test('SRV-02 the official client is asked, answers after a restart of the server, and receives the answer', async () => {
  const path = `${await temporaryFolder()}/runs.db`
  const script = [sendTo('Ann'), 'It is sent.']
  const before = mailer(script, { store: sqliteStore(path) })
  const first = await serve(before.agent)
  const asked = asTask(await (await connect(first.url)).sendMessage(saying('Mail Ann.')))
  expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
  expect(asked.status?.message?.parts[1]?.content?.value).toMatchObject({
    callId: '1.c',
    toolName: 'send',
    arguments: { to: 'Ann' },
    asksFor: 'approval',
  })
  await first.close()
  await before.agent.close()
  await before.agent.store?.close()

  const store = sqliteStore(path)
  onTestFinished(() => store.close())
  const after = mailer(script, { store })
  const client = await connect((await serve(after.agent)).url)
  const found = await client.getTask({ tenant: '', id: asked.id })
  expect(found.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
  const data = { callId: '1.c', action: 'resume' }
  const done = asTask(await client.sendMessage(saying(undefined, { data, taskId: asked.id })))
  expect([done.id, done.contextId, done.status?.state]).toEqual([
    asked.id,
    asked.contextId,
    TaskState.TASK_STATE_COMPLETED,
  ])
  expect(answerOf(done)).toEqual(['It is sent.'])
  expect([before.sent, after.sent]).toEqual([[], ['Ann']])
  const { decisions } = await (await after.agent.load(asked.id)).result()
  expect(decisions).toMatchObject([{ callId: '1.c', action: 'resume', by: 'ann' }])
})
