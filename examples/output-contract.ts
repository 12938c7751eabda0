import assert from 'node:assert/strict'
import { z } from 'zod'
import { createAgent, textOf } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'

const agent = createAgent({
  name: 'atlas',
  model: scripted(['{"city":"Bern"}', '{"city":"Bern","people":134591}']),
  output: z.object({ city: z.string(), people: z.number() }),
})

const run = agent.start('The capital of Switzerland?')
for await (const event of run) {
  if (event.type === 'output.updated') console.log(`so far: ${JSON.stringify(event.partial)}`)
  if (event.type === 'message.ended' && event.message.role === 'user') console.log(textOf(event.message))
}
const { output } = await run.result()
assert.ok(output !== undefined)
// The schema provides the type: `people` is a number.
console.log(`${output.city} has ${Math.round(output.people / 1000)} thousand people.`)
