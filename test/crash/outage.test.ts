import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../proof/support/temporary-folder.ts'
import { chatWire } from '../../proof/wires/chat-wire.ts'
import { faultServer, stream } from '../../proof/wires/fault-server.ts'

const program = join(import.meta.dirname, '../../proof/crash/outage-process.ts')

/** A process of its own; `told` has what it said once it has ended. */
function begin(folder: string, url: string, order: 'start' | 'resume') {
  const child = fork(program, [folder, url, order])
  onTestFinished(() => void child.kill())
  const told: unknown[] = []
  child.on('message', (message) => told.push(message))
  return { child, told }
}

async function ended(child: ChildProcess): Promise<unknown> {
  const [code] = await once(child, 'exit')
  return code
}

test('RUN-06 TST-03 another process continues a run after a network outage longer than all retries', async () => {
  const folder = await temporaryFolder()
  const first = await faultServer(stream(chatWire.call('{"city":"Oslo"}')))
  const { child, told } = begin(folder, first.url, 'start')
  const exit = ended(child)
  await once(child, 'message')
  await first[Symbol.asyncDispose]()
  child.send('The network is cut.')
  expect(await exit).toBe(0)
  const held = { status: 'waiting', outcome: { reason: 'suspended' }, text: '', reasons: ['model_unavailable'] }
  expect(told).toEqual([{ performed: 'weather' }, { ...held, failures: 3 }])
  expect(first.requests).toHaveLength(1)

  await using second = await faultServer(stream(chatWire.answer('Rain.')))
  const later = begin(folder, second.url, 'resume')
  expect(await ended(later.child)).toBe(0)
  const done = { status: 'done', outcome: { reason: 'natural_end' }, text: 'Rain.', reasons: [], failures: 0 }
  expect(later.told).toEqual([done])
  expect(second.requests).toHaveLength(1)
  expect(JSON.stringify(second.requests[0]?.body)).toContain('It rains.')
}, 60_000)
