import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { call, lastLine } from './command.ts'

const source = resolve('src')
const team = `
import { createAgent, tool } from '${source}/index.ts'
import { scripted } from '${source}/adapters/providers/scripted.ts'
const calling = (id, name, given) => ({ toolCalls: [{ id, name, arguments: given }] })
const pay = tool({ name: 'pay', description: 'Pays', input: { type: 'object' }, needs: 'approval', execute: () => 'paid' })
export default (store) => {
  const helper = createAgent({ name: 'helper', model: scripted([calling('p', 'pay', {}), 'Paid.']), tools: [pay] })
  const help = helper.asTool({ name: 'help', description: 'Helps.' })
  return [createAgent({ name: 'boss', store, model: scripted([calling('h', 'help', { prompt: 'Pay.' }), 'All done.']), tools: [help] })]
}
`

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
  await writeFile(join(cwd, 'team.mjs'), team)
})

test('AGT-05 CLI-01 shows the question of a sub-agent at its root, and answers it by its address, once', async () => {
  const agents = ['--agents', 'team.mjs']
  const started = await call(['run', 'Pay everybody.', ...agents, '--json'], { cwd })
  expect(started.code).toBe(3)
  const { run, suspended } = lastLine(started) as {
    readonly run: { readonly id: string }
    readonly suspended: readonly { readonly callId: string; readonly toolName: string }[]
  }
  expect(suspended).toMatchObject([{ toolName: 'pay', callId: expect.stringMatching(/\.sub\.1\/1\.p$/) }])
  const target = suspended[0]?.callId ?? ''
  const approved = await call(['approve', run.id, target, ...agents], { cwd })
  expect(approved).toMatchObject({ code: 0, out: expect.stringContaining('All done.') })
  const again = await call(['approve', run.id, target, ...agents], { cwd })
  expect(again.out).toContain(`${target}: duplicate`)
})
