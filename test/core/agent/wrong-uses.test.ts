import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { testAgent } from '../../../proof/support/test-agent.ts'
import { runAll } from '../../../src/core/workers/run-all.ts'
import { UsageError } from '../../../src/index.ts'
import { sqliteMemory } from '../../../src/adapters/memory/sqlite/index.ts'
import { createHandlers } from '../../../src/servers/http/server.ts'
import { mergeSessions, recordEvents, rootRuns } from '../../../src/adapters/recorder/index.ts'
import { fileTools } from '../../../src/adapters/tools/files.ts'

const { agent } = testAgent({ replies: ['Hi.'] })
const note = { userId: 'ann', kind: 'answer', key: 'k1', data: 'Ann lives in Lisbon.', at: 1 }

/** Calls a function as plain JavaScript does, which no compiler checks. */
function loosely<Result>(call: (given: never) => Result, given: unknown): Result {
  return call(given as never)
}

const remember = (given: unknown) => loosely(sqliteMemory(':memory:').add, given)
const serve = (cors: unknown) => loosely((given) => createHandlers(agent, { authorize: () => true, cors: given }), cors)
const picture = { type: 'image', image: new URL('https://example.com/a.png'), mediaType: 'image/png' }

test.each<[string, () => unknown, string]>([
  [
    'no items',
    () => loosely((items) => runAll(agent, items), null),
    'Option items of runAll is null, which is refused. Expected a list.',
  ],
  [
    'an item that is none',
    () => loosely((items) => runAll(agent, items), [{ id: 'a', prompt: 'Hi' }, null]),
    'Option items[1] of runAll is null, which is refused. Expected an item such as { id, prompt }.',
  ],
  ['a session id that is none', () => loosely(agent.session, null), 'Session id object is refused.'],
  [
    'an event that is none',
    () => loosely(recordEvents, [{}]),
    'Option event of recordEvents is {  }, which is refused. Expected an event of a run, as agent.on and run.events give it.',
  ],
  ['events that are none', () => loosely(recordEvents, 3), 'Option events of recordEvents is 3'],
  ['a session without runs', () => loosely(rootRuns, { id: 's' }), 'Option session of rootRuns'],
  ['a merge of none', () => loosely((later) => mergeSessions(later, later), []), 'Option earlier of mergeSessions'],
  [
    'a time that is not a number',
    () => remember({ ...note, at: Number.NaN }),
    'Option at of memory.add is NaN, which is refused. Expected a finite number of Unix milliseconds.',
  ],
  ['a memory without a user', () => remember({ ...note, userId: '' }), 'Option userId of memory.add'],
  ['a memory that is none', () => remember(null), 'The options of memory.add are null'],
  ['a query that is none', () => loosely(sqliteMemory(':memory:').query, {}), 'Option query of memory.query'],
  ['nobody to forget', () => loosely(sqliteMemory(':memory:').forget, null), 'Option userId of memory.forget is null'],
  [
    'an origin with a star',
    () => serve(['https://shop.example', 'https://*.shop.example']),
    'Option cors[1] of createHandlers is "https://*.shop.example", which is refused. Expected "*" for all origins, or whole ones',
  ],
  ['an origin that is none', () => serve([null]), 'Option cors[0] of createHandlers is null'],
  ['an origin that is missing', () => serve([undefined]), 'Option cors[0] of createHandlers is missing'],
  [
    'a picture that lies elsewhere',
    () => loosely(agent.run, [{ role: 'user', content: [{ type: 'text', text: 'See' }, picture] }]),
    'Block 1 of message 0: An image of type image/png is refused: it is an address, and nothing is fetched.',
  ],
])('names the wrong value for %s, what is expected and where', async (_, use, said) => {
  const error = await (async () => use())().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UsageError)
  expect((error as UsageError).message).toContain(said)
})

test('TOOL-01 refuses file tools for a missing folder and for a file', async () => {
  const folder = await temporaryFolder()
  for (const root of [join(folder, 'nope'), import.meta.filename]) {
    expect(() => fileTools({ root })).toThrow('Option root of fileTools is')
    expect(() => fileTools({ root })).toThrow('Expected the path of a folder that is there.')
  }
  expect(fileTools({ root: folder })).toHaveLength(5)
})

test('accepts a single star as every origin', () => {
  expect(() => serve('*')).not.toThrow()
})
