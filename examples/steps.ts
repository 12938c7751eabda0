import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgent, type Store, tool, type ToolContext } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../src/adapters/stores/sqlite/sqlite-store.ts'

const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'steps-'))
const journal = join(folder, 'journal')
const store = sqliteStore(join(folder, 'runs.db'))
await (process.argv[2] === undefined ? recover(store) : startAndDie(store))
await store.close()
rmSync(folder, { recursive: true })

/** Creates a payment in two steps, and a look-up that fails at first. */
function agentOn(runs: Store, mail: () => Promise<string>) {
  const pay = tool({
    name: 'pay',
    description: 'Charges, then mails the receipt.',
    input: { type: 'object' },
    execute: async (_, { step }) => {
      const receipt = await step('charge', () => act('charge', 'receipt 7'))
      await step('mail', mail)
      return `Paid: ${receipt}`
    },
  })
  const lookUp = tool({
    name: 'look_up',
    description: 'Looks a price up.',
    input: { type: 'object' },
    effects: 'none',
    retry: { attempts: 3, baseMs: 10 },
    execute: (_, { attempt }: ToolContext) => {
      if (attempt < 3) throw new Error('The line is busy')
      return act('look up', '9 euros')
    },
  })
  const calls = [
    { id: 'l', name: 'look_up' },
    { id: 'p', name: 'pay' },
  ].map((call) => ({ ...call, arguments: {} }))
  const model = scripted([{ toolCalls: calls.slice(0, 1) }, { toolCalls: calls.slice(1) }, 'All done.'])
  return createAgent({ name: 'clerk', model, tools: [pay, lookUp], store: runs })
}

function act(what: string, result: string): string {
  appendFileSync(journal, `${what}\n`)
  return result
}

/** Dies while it mails: the card is charged, and the charge is stored. */
async function startAndDie(runs: Store) {
  await agentOn(runs, () => {
    process.kill(process.pid, 'SIGKILL')
    return new Promise(() => {})
  }).run('Pay.', { runId: 'pays' })
}

async function recover(runs: Store) {
  const { signal } = spawnSync(process.execPath, [import.meta.filename, folder], { stdio: 'inherit' })
  assert.equal(signal, 'SIGKILL')
  const run = await agentOn(runs, async () => act('mail', 'sent')).load('pays')
  const [call] = (await run.settled()).suspended
  console.log(`${call?.toolName} is ${call?.suspension?.reason}; done already: ${call?.suspension?.steps?.join(', ')}`)
  await run.approve(call?.callId)
  const { text } = await run.settled()
  const done = readFileSync(journal, 'utf8').trim().split('\n')
  assert.deepEqual({ text, done }, { text: 'All done.', done: ['look up', 'charge', 'mail'] })
  console.log(`${text} looked up at the third attempt, charged once, mailed by the second process`)
}
