/** A small program of a user of the package. */
export const agentProgram = `import assert from 'node:assert/strict'
import { createAgent, tool } from 'statewright'
import { scripted } from 'statewright/providers/scripted'
import { sqliteStore } from 'statewright/stores/sqlite'
import { z } from 'zod'

const add = tool({
  name: 'add',
  description: 'Adds two numbers',
  input: z.object({ left: z.number(), right: z.number() }),
  effects: 'none',
  execute: ({ left, right }) => String(left + right),
})
const model = scripted([{ toolCalls: [{ name: 'add', arguments: { left: 2, right: 3 } }] }, 'Five.'])
const agent = createAgent({ name: 'sum', model, instructions: '', tools: [add], store: sqliteStore('./runs.db') })
const { status, text } = await agent.run('What is 2 + 3?')
assert.deepEqual({ status, text }, { status: 'done', text: 'Five.' })
console.log('a program of a stranger ran an agent:', text)
`

/** Returns a program that imports every public entry point; none may need a package that the user did not install. */
export function doorsProgram(names: readonly string[]): string {
  const imports = names.map((name, index) => `import * as door${index} from '${name}'`)
  const list = names.map((_, index) => `door${index}`).join(', ')
  return `${imports.join('\n')}\n\nconst doors = [${list}]
if (doors.some((door) => Object.keys(door).length === 0)) throw new Error('a door leads nowhere')
console.log(doors.length, 'doors open')
`
}
