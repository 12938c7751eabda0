import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { createAgent, type Store, tool } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../src/adapters/stores/sqlite/sqlite-store.ts'

const sent: string[] = []

/** Returns the same agent in every process, because the run is in the store. */
function clerkOn(store: Store) {
  const send = tool({
    name: 'send',
    description: 'Sends an invoice.',
    input: z.object({ to: z.string(), amount: z.number() }),
    needs: ({ amount }) => amount > 100,
    execute: ({ to, amount }) => {
      sent.push(`${amount} to ${to}`)
      return 'Sent.'
    },
  })
  const invoice = { name: 'send', arguments: { to: 'Ada', amount: 900 } }
  return createAgent({ name: 'clerk', model: scripted([{ toolCalls: [invoice] }, 'It is out.']), tools: [send], store })
}

const folder = mkdtempSync(join(tmpdir(), 'approval-'))
try {
  const first = sqliteStore(join(folder, 'runs.db'))
  const asked = await clerkOn(first).run('Bill Ada 900.', { runId: 'bill' })
  await first.close()
  assert.equal(asked.status, 'waiting')
  assert.deepEqual(sent, [])
  console.log(`waiting: ${asked.suspended.map(({ toolName }) => toolName).join()} needs an approval, nothing is sent`)

  const second = sqliteStore(join(folder, 'runs.db'))
  const run = await clerkOn(second).load('bill')
  const [callId] = asked.suspended.map((call) => call.callId)
  const yes = await run.approve(callId, { by: 'Grace' })
  const again = await run.approve(callId, { by: 'Grace' })
  const { status, text } = await run.settled()
  await second.close()
  assert.deepEqual([yes.answer, again.answer], ['applied', 'duplicate'])
  assert.deepEqual({ status, text, sent }, { status: 'done', text: 'It is out.', sent: ['900 to Ada'] })
  console.log(`${status}: ${text} Sent once: ${sent.join()}. The second yes was a ${again.answer}.`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
