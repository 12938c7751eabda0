import assert from 'node:assert/strict'
import { createAgent } from '../src/index.ts'
import { sqliteMemory } from '../src/adapters/memory/sqlite/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'

/** A model that knows only what is in its prompt. */
const model = scripted(({ messages }) => {
  const city = /I live in (\w+)/.exec(JSON.stringify(messages))?.[1]
  return city === undefined ? 'I do not know where you live.' : `You live in ${city}.`
})

const memory = sqliteMemory(':memory:')
const agent = createAgent({ name: 'guide', model, memory })

/** Sends one prompt in a new session. */
const ask = async (session: string, userId: string, text: string) => {
  const run = await agent.session(session).prompt(text, { userId })
  return (await run.settled()).text
}

await ask('monday', 'ann', 'I live in Lisbon, by the river.')
assert.equal(await ask('tuesday', 'ann', 'Where do I live?'), 'You live in Lisbon.')
assert.equal(await ask('wednesday', 'bob', 'Where do I live?'), 'I do not know where you live.')

await agent.close()
assert.ok((await memory.forget('ann')) > 0)
assert.deepEqual(await memory.query({ userId: 'ann', input: 'Where do I live?' }), [])
memory.close()
console.log('Told on Monday, known on Tuesday, and forgotten when asked to.')
