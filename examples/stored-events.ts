import assert from 'node:assert/strict'
import { createAgent, StoreError, UsageError } from '../src/index.ts'
import { toResponse } from '../src/servers/http/server-sent-events.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'

const model = scripted(['Good morning, Ada.'])
const agent = createAgent({ name: 'host', model })

/** A handler for any server with Request and Response: GET /<run id> follows a run from the page's last event. */
async function handle(request: Request): Promise<Response> {
  try {
    const run = await agent.load(new URL(request.url).pathname.slice(1))
    return await toResponse(run, { request })
  } catch (error) {
    if (error instanceof StoreError && error.code === 'run_unknown') return new Response('no such run', { status: 404 })
    if (error instanceof UsageError) return new Response(error.message, { status: 400 })
    throw error
  }
}

const { runId } = await agent.run('Good morning.')
const url = `http://localhost/${runId}`

/** Returns the event ids of a response; a page that reconnects continues after the last one. */
async function idsOf(response: Response): Promise<readonly string[]> {
  return Array.from((await response.text()).matchAll(/^id: (\d+)$/gm), ([, id = '']) => id)
}

const all = await idsOf(await handle(new Request(url)))
// Numbers rise and have gaps, because not every entry of a log emits an event.
assert.deepEqual(
  all,
  all.toSorted((left, right) => Number(left) - Number(right)),
)
const rest = await idsOf(await handle(new Request(url, { headers: { 'last-event-id': '2' } })))
assert.deepEqual(rest, all.slice(2))
const over = await handle(new Request(url, { headers: { 'last-event-id': all.at(-1) ?? '' } }))
assert.equal(over.status, 204)
assert.equal((await handle(new Request('http://localhost/nobody'))).status, 404)
assert.equal((await handle(new Request(url, { headers: { 'last-event-id': '99' } }))).status, 400)
console.log(`${all.length} events are stored; after the second, ${rest.length} follow.`)
