import { expect, test } from 'vitest'
import { faultServer, type Frame, type Reply } from '../../../proof/wires/fault-server.ts'
import { isWhole } from '../../../proof/support/sampled.ts'
import type { Wire } from '../../../proof/wires/wire.ts'
import { wires } from '../../../proof/wires/wires.ts'
import { ask } from './ask.ts'

const megabyte = 1_000_000

/** Ways never to come to the end of an event. */
const endings: readonly (readonly [string, Frame, string])[] = [
  ['an event without end', 'data: {"type": "', 'x'.repeat(megabyte)],
  ['endless comments', ': hello\n\n', `: ${'x'.repeat(100)}\n\n`.repeat(10_000)],
]

/** They read streams with the clients of other wires. */
const alike = ['azure', 'vertex']

const cells = wires
  .filter(({ name }) => isWhole || !alike.includes(name))
  .filter(({ excused }) => excused?.['event without end'] === undefined)
  .flatMap((wire, at) =>
    endings
      // Each wire plays one of the two, and its neighbour the other: they read events by the same reader.
      .filter((_, ending) => isWhole || ending === at % endings.length)
      .map(([what, first, more]) => ({ wire, what, first, more })),
  )

test.each(cells)('PRV-01 CKP-09 $wire.name closes the connection at $what', async ({ wire, first, more }) => {
  const isBinary = wire.mediaType !== undefined
  await using server = await faultServer(endless(wire, isBinary ? frameOf(100 * megabyte) : first, more))
  const { events, error } = await ask(wire.make(server.url))
  expect(events).toEqual([{ type: 'text', delta: 'Hel' }])
  expect(error).toMatchObject({ name: 'ModelError', kind: 'api' })
  expect(String(error)).toContain('sent more than 20000000 bytes without a complete event.')
  await server.dropped
})

/** The beginning of a binary frame that says it has so many bytes. */
function frameOf(bytes: number): Frame {
  const prelude = Buffer.alloc(8)
  prelude.writeUInt32BE(bytes)
  return prelude
}

/** Writes on for as long as somebody reads. */
function endless({ opening, mediaType = 'text/event-stream' }: Wire, first: Frame, more: string): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': mediaType })
    for (const frame of opening) response.write(frame)
    response.write(first)
    const write = (): void => void (response.destroyed || response.write(more, write))
    write()
  }
}
