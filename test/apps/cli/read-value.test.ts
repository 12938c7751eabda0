import { expect, test } from 'vitest'
import { askKey } from '../../../src/apps/cli/runs/ask-call.ts'
import type { Dialog } from '../../../src/apps/cli/terminal/dialog.ts'
import { readValue } from '../../../src/apps/cli/runs/read-value.ts'
import type { SuspendedCall } from '../../../src/apps/cli/setup/suspended-calls.ts'
import type { Json } from '../../../src/index.ts'

function asking(type: Json | undefined): SuspendedCall {
  return {
    callId: '1.c1',
    suspensionId: 's1',
    toolCallId: 'c1',
    toolName: 'ask',
    arguments: {},
    mayHaveRun: false,
    reason: 'input',
    responseSchema: type === undefined ? {} : { type },
  }
}

test.for<readonly [text: string, type: Json | undefined, value: Json]>([
  [' 42 ', undefined, '42'],
  [' 42 ', 'string', '42'],
  [' 42 ', 'number', 42],
  [' 42 ', ['string', 'null'], '42'],
  [' {"n":1}\n', undefined, '{"n":1}'],
  [' [1] ', 'string', '[1]'],
  [' {"n":1}\n', 'object', { n: 1 }],
  [' [1] ', 'array', [1]],
  ['true', 'boolean', true],
  [' yes ', undefined, 'yes'],
  ['  ', undefined, ''],
])('CLI-01 reads %j, if %j is expected, as %j', ([text, type, value]) => {
  expect(readValue(text, asking(type))).toEqual(value)
})

test('CLI-01 uses the text itself if nothing is known about the call', () => {
  expect(readValue(' [1] ', undefined)).toBe('[1]')
})

test('CLI-01 refuses a text that is not JSON if another type is expected', () => {
  expect(() => readValue('many', asking('number'))).toThrow('The value (expected: "number") is not JSON: many')
})

test('CLI-01 only y is a yes to a call, and only n a no; leaving means neither', async () => {
  const pressing = async (...keys: readonly (string | undefined)[]) => {
    const left = [...keys]
    const dialog = { key: async () => left.shift(), print: () => {} } as unknown as Dialog
    return [await askKey({ reason: 'approval' } as SuspendedCall, dialog, 80), left.length]
  }
  expect(await pressing('\r', '\n', ' ', 'Y', 'j', 'yes', '', 'n', 'y')).toEqual(['no', 1])
  expect(await pressing('x', 'y', 'n')).toEqual(['yes', 1])
  expect(await pressing('x', undefined, 'y')).toEqual([undefined, 1])
})
