import { createAgent } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../src/adapters/stores/sqlite/sqlite-store.ts'
import { acpAgent } from '../src/servers/acp.ts'

/** `start <prompt>`, then `approve <run>` or `deny <run>`, then the command of a program that speaks ACP. */
const [, , action = 'start', given = 'Write the file.', command = 'opencode', ...args] = process.argv
const store = sqliteStore('foreign-agent.db')
const coder = acpAgent({ name: 'coder', command, args, cwd: process.cwd() })
const model = scripted([{ toolCalls: [{ name: 'coder', arguments: { prompt: given } }] }, 'The coder is done.'])
const boss = createAgent({ name: 'boss', model, tools: [coder.asTool({ description: 'Changes files.' })], store })
const run = action === 'start' ? boss.start('Have it written.') : await boss.load(given)
if (action === 'approve') await run.approve()
if (action === 'deny') await run.deny()
const { text, suspended } = await run.settled()
for (const call of suspended) console.log(run.id, 'asks', call.toolName, JSON.stringify(call.arguments))
if (suspended.length === 0) console.log(text)
await Promise.all([boss.close(), coder.close()])
await store.close()
