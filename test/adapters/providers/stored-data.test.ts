import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, type Model, tool } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { faultServer, stream } from '../../../proof/wires/fault-server.ts'
import { wires } from '../../../proof/wires/wires.ts'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'statewright-stored-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

const weather = tool({
  name: 'weather',
  description: 'Tells the weather.',
  input: z.object({ city: z.string() }),
  needs: 'approval',
  effects: 'none',
  execute: ({ city }) => `Rain in ${city}.`,
})

function agentOf(model: Model) {
  const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal' })
  return { agent: createAgent({ name: 'guide', model, tools: [weather], store }), store }
}

/** The data that each wire wants back, in its description. */
const wanted: Readonly<Record<string, RegExp>> = {
  anthropic: /"signature":"sealed"/,
  'openai-chat': /"reasoning_content":"Two cities\."/,
  'openai-responses': /"encrypted_content":"sealed"/,
  azure: /"encrypted_content":"sealed"/,
  google: /"thoughtSignature":"sealed"/,
  vertex: /"thoughtSignature":"sealed"/,
  bedrock: /"signature":"sealed"/,
}

test.each(wires.filter(({ name }) => name in wanted))(
  'PRV-10 stores what $name wants back, and sends it from another process',
  async (wire) => {
    const replies = [wire.calls, [...wire.opening, ...wire.closing]]
    await using server = await faultServer((response) => stream(replies.shift() ?? [], 'end', wire.mediaType)(response))
    const before = agentOf(wire.make(server.url))
    const { status, runId, suspended } = await before.agent.run('Weather in Oslo and Rome?')
    expect([status, suspended.length]).toEqual(['waiting', 2])
    await before.store.close()

    const after = agentOf(wire.make(server.url))
    const run = await after.agent.load(runId)
    for (const { callId } of suspended) await run.approve(callId)
    expect(await run.settled()).toMatchObject({ status: 'done', text: 'Hello' })
    await after.store.close()
    expect(JSON.stringify(server.requests[1]?.body)).toMatch(wanted[wire.name] ?? /never/)
  },
)
