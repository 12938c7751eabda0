import { expect, test } from 'vitest'
import { boundedFetch } from '../../../src/adapters/tools/mcp/bounded-fetch.ts'

test.each([
  ['application/json', 'x'],
  ['text/event-stream', 'data: x\n'],
])("TOOL-04 reads no more than a message's maximum from a server that sends %s without end", async (type, piece) => {
  let sent = 0
  const endless = () =>
    new ReadableStream({
      pull(controller) {
        sent++
        controller.enqueue(new TextEncoder().encode(piece.repeat(1_000)))
        if (sent > 1_000) controller.close()
      },
    })
  const fetch = boundedFetch(async () => new Response(endless(), { headers: { 'content-type': type } }), 20_000)
  await expect((await fetch('http://here/')).text()).rejects.toThrow('more than 20000 bytes')
  expect(sent).toBeLessThan(50)
})
