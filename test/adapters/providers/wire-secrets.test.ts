import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { faultServer, type Frame, page, type Reply, stream } from '../../../proof/wires/fault-server.ts'
import type { Wire } from '../../../proof/wires/wire.ts'
import { wires } from '../../../proof/wires/wires.ts'
import { createAgent } from '../../../src/index.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { chatWire } from '../../../proof/wires/chat-wire.ts'
import { ask } from './ask.ts'

const key = 'k9-fQ7/very+secret=='

test.each(unless('redirect'))('TOOL-03 PRV-02 $name follows no redirect and names its target', async (wire) => {
  await using target = await faultServer(streamed(wire, [...wire.opening, ...wire.closing]))
  for (const status of [301, 302, 303, 307, 308]) {
    const location = `${target.url.replace('://', '://eve:hunter2@')}/v1/messages?token=hunter3`
    await using server = await faultServer(page(status, '', { location }))
    const { error } = await ask(wire.make(server.url))
    expect(error).toMatchObject({ name: 'ModelError', kind: 'api', status })
    expect(String(error)).toContain(`answered HTTP ${status} and points to ${target.url}/v1/messages. Nothing was sent`)
    expect(String(error)).not.toContain('hunter')
  }
  expect(target.requests).toEqual([])
})

/** The places in which a server may repeat the key, each with its own status. */
const shapes: readonly (readonly [what: string, reply: (wire: Wire) => Reply])[] = [
  ['a message far behind', () => json(401, { error: { message: `${'x'.repeat(290)} ${key} is wrong` } })],
  ['a message', () => json(403, { error: { message: `Bearer ${key} is not allowed` } })],
  ['a detail', () => json(404, { detail: `no model for ${key}` })],
  ['a nested error', () => json(500, [{ error: { error: { message: key } } }])],
  ['a field nobody reads', () => json(400, { key, at: { url: `https://x/?key=${key}` } })],
  ['an address', () => json(429, { error: { message: `see https://x/${encodeURIComponent(key)}` } })],
  ['JSON with its slashes escaped', () => page(401, `{"error":{"message":"no ${key.replaceAll('/', '\\/')}"}}`)],
  ['a page', () => page(502, `<html>${key}</html>`, { 'content-type': 'text/html' })],
  ['a page with status 200', () => page(200, `<html>${key}</html>`, { 'content-type': 'text/html' })],
  ['a media type', () => page(200, 'no', { 'content-type': `text/html; of=${key}` })],
  ['the target of a redirect', () => page(307, '', { location: `https://x/${key}/v1` })],
  ['a target that is none', () => page(307, '', { location: `https://[${key}` })],
  ['an error event', (wire) => streamed(wire, [...wire.opening, wire.error('auth', `no ${key}`)])],
  ['a chunk that is not JSON', (wire) => streamed(wire, [...wire.opening, wire.raw(`${key} {`)])],
]

const cells = wires.flatMap((wire) => shapes.map(([what, replyOf]) => ({ wire, what, replyOf })))

test.each(cells)('TOOL-03 $wire.name masks its key in $what', async ({ wire, what, replyOf }) => {
  await using server = await faultServer(replyOf(wire))
  const { error } = await ask(wire.make(server.url, { apiKey: key }))
  if (what.includes('target') && wire.excused?.['redirect'] !== undefined) return
  expect(error).toMatchObject({ name: 'ModelError' })
  expect(inspect(error, { depth: 9 })).not.toMatch(/k9-|fQ7/)
})

test.each(wires)('TOOL-03 $name masks its key at the end of an answer', async (wire) => {
  const replaced = wire.cutOff.map((frame) =>
    typeof frame === 'string' ? frame.replace(/"(max_tokens|length|MAX_TOKENS|max_output_tokens)"/, `"${key}"`) : frame,
  )
  await using server = await faultServer(streamed(wire, replaced))
  const heard = await ask(wire.make(server.url, { apiKey: key }))
  expect(inspect(heard, { depth: 9 })).not.toMatch(/k9-|fQ7/)
})

test('TOOL-03 a key that a server repeats reaches no model, store or event', async () => {
  await using server = await faultServer(json(401, { error: { message: `Bearer ${key} is wrong` } }))
  const store = memoryStore()
  const agent = createAgent({ name: 'guide', model: chatWire.make(server.url, { apiKey: key }), store })
  const run = agent.start('Hi', { runId: 'r' })
  const told: unknown[] = []
  for await (const event of run) told.push(event)
  const kept = [told, await run.settled(), await run.messages(), await store.list({})]
  expect(JSON.stringify(kept)).toContain('[secret authorization] is wrong')
  expect(JSON.stringify(kept)).not.toContain('k9-')
})

test.each(wires)('TOOL-03 $name masks the password of its base URL', async (wire) => {
  const { error } = await ask(wire.make('http://anna:hunter2@127.0.0.1:9'))
  expect(error).toMatchObject({ name: 'ModelError' })
  expect(inspect(error, { depth: 9 })).not.toContain('hunter2')
})

function json(status: number, body: unknown): Reply {
  return page(status, JSON.stringify(body), { 'content-type': 'application/json' })
}

/** The wires that can be asked this; the others say why not. */
function unless(cell: string): readonly Wire[] {
  return wires.filter(({ excused }) => excused?.[cell] === undefined)
}

function streamed({ mediaType }: Wire, frames: readonly Frame[]): Reply {
  return stream(frames, 'end', mediaType)
}
