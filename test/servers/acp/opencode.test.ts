import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { chatServer, hasOpencode, opencodeIn, sayNoOpencode } from '../../../proof/foreign-agents/opencode.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { createAgent } from '../../../src/index.ts'
import { acpAgent } from '../../../src/servers/acp.ts'

sayNoOpencode('an agent of others below ours')

const commands = ['echo kept >> denied.txt', 'echo made >> made.txt']

test.skipIf(!hasOpencode)(
  'SRV-03 opencode works as our sub-agent: denials reach it, an approval after a restart takes effect once, and its costs are counted',
  async () => {
    const folder = await temporaryFolder()
    const [home, cwd] = [join(folder, 'home'), join(folder, 'work')]
    for (const made of [home, cwd]) mkdirSync(made)
    const left = [...commands]
    const { baseURL, close } = await chatServer(({ role, content }) => {
      const isAgain = role === 'user' && JSON.stringify(content).includes('You were interrupted')
      const run = isAgain ? commands[1] : left.shift()
      return run === undefined ? { text: 'All done.' } : { run }
    })
    onTestFinished(close)
    const open = () => {
      const store = sqliteStore(join(folder, 'runs.db'))
      const coder = acpAgent({ name: 'coder', cwd, ...opencodeIn(home, baseURL) })
      const call = { toolCalls: [{ id: 'w', name: 'coder', arguments: { prompt: 'Make the file.' } }] }
      const tools = [coder.asTool({ description: 'Codes.', limits: { maxDurationMs: 3_600_000 } })]
      const boss = createAgent({ name: 'boss', model: scripted([call, 'The coder is done.']), tools, store })
      return { boss, stop: () => Promise.all([boss.close(), coder.close()]).then(() => store.close()) }
    }
    const first = open()
    const denied = first.boss.start('Go.')
    const [asked] = (await denied.settled()).suspended
    expect(asked).toMatchObject({ toolName: 'execute', arguments: { command: commands[0] } })
    await denied.deny()
    expect([(await denied.settled()).text, existsSync(join(cwd, 'denied.txt'))]).toEqual(['The coder is done.', false])
    const run = first.boss.start('Go.')
    expect((await run.settled()).suspended).toMatchObject([
      { toolName: 'execute', arguments: { command: commands[1] } },
    ])
    await first.stop()

    const second = open()
    onTestFinished(() => second.stop())
    const again = await second.boss.load(run.id)
    await again.approve()
    const { text, messages, suspended } = await again.settled()
    expect([text, suspended]).toEqual(['The coder is done.', []])
    expect(readFileSync(join(cwd, 'made.txt'), 'utf8')).toBe('made\n')
    const [result] = messages.filter(({ role }) => role === 'toolResult')
    const child = await second.boss.load(String(Reflect.get(result ?? {}, 'childRunId')))
    expect((await child.result()).cost).toBeGreaterThan(0.1)
  },
  900_000,
)
