import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { type Person, personAt } from '../../../src/apps/cli/terminal/person.ts'
import { systemClock } from '../../../src/ports.ts'

/** Somebody at a terminal who presses these keys after the question, each in a piece of its own. */
async function press(...pieces: readonly string[]): ReturnType<Person['key']> {
  const stdin = new PassThrough()
  const shown = Promise.withResolvers<void>()
  const stdout = { write: (text: string) => void (text === 'Approve?' && shown.resolve()) }
  const signal = new AbortController().signal
  const io = { stdout, stderr: stdout, stdin, env: {}, cwd: '/', isTTY: true, clock: systemClock, signal }
  const pressed = personAt(io).key('Approve?')
  await shown.promise
  for (const piece of pieces) {
    stdin.write(piece)
    await new Promise((resolve) => setImmediate(resolve))
  }
  stdin.end()
  return await pressed
}

test.each<[readonly string[], string | undefined]>([
  [['y'], 'y'],
  [['Y'], 'y'],
  [['\r'], ''],
  [['yes'], 'yes'],
  [['\u001b[A'], 'up'],
  [['y\u0003'], undefined],
  [['\u0004'], undefined],
  [[], undefined],
  [['\u001b]', 'y', '\u0007', 'n'], 'n'],
  [['\u001bP1$r', 'y', '\u001b', '\\', 'n'], 'n'],
  [['\u001b]y\u0007'], undefined],
])('CLI-01 the keys of %j answer a question with %j', async (pieces, key) => {
  expect(await press(...pieces)).toBe(key)
})
