// The boss may not run `git stash`. No agent that works for the boss may either, whatever its own rules allow.
// https://github.com/anthropics/claude-code/issues/78797
import assert from 'node:assert/strict'
import { z } from 'zod'
import { createAgent, tool } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'

const ran: string[] = []
let refused = 0
const bash = tool({
  name: 'bash',
  description: 'Runs a command.',
  input: z.object({ command: z.string() }),
  ruleFields: { command: 'command' },
  execute: ({ command }) => `Ran ${ran[ran.push(command) - 1]}.`,
})
const lines = ['git status', 'git stash push', 'cd src && git stash']
const ask = (name: string) => ({ toolCalls: [{ name, arguments: { prompt: 'Clean up.' } }] })
const worker = createAgent({
  name: 'worker',
  tools: [bash],
  permissions: { rules: { allow: ['bash'] } },
  model: scripted([
    { toolCalls: lines.map((command) => ({ name: 'bash', arguments: { command } })) },
    ({ messages }) =>
      `Refused: ${(refused = messages.filter((one) => one.role === 'toolResult' && one.isError).length)}`,
  ]),
})
const works = worker.asTool({ description: 'Works.' })
const lead = createAgent({ name: 'lead', model: scripted([ask('worker'), 'Ok.']), tools: [works] })
const boss = createAgent({
  name: 'boss',
  model: scripted([ask('lead'), 'All clean.']),
  tools: [lead.asTool({ description: 'Leads.' })],
  permissions: { rules: { deny: ['bash(command ~ "git stash*")'] } },
})
const { status } = await boss.run('Clean up.')
assert.deepEqual([status, ran, refused], ['done', ['git status'], 2])
console.log('the rule held two levels below')
