import { expect, test } from 'vitest'
import type { CallRecord } from '../../../../src/core/domain/call.ts'
import { toResultMessage, toToolResult } from '../../../../src/core/effects/tools/tool-result.ts'
import { Suspended } from '../../../../src/core/ports/tool.ts'

const call: CallRecord = {
  seq: 2,
  callId: '1.a',
  toolCallId: 'a',
  toolName: 'act',
  messageSeq: 1,
  status: 'running',
  revision: 0,
  resumeMode: 'replay',
}
const head = { role: 'toolResult', callId: '1.a', toolCallId: 'a', toolName: 'act', timestamp: 7 }
const texts = (...given: readonly string[]) => given.map((text) => ({ type: 'text', text }))
const success = { ...head, isError: false, status: 'success' }
const error = { ...head, isError: true, status: 'error', code: 'failed' }
const wish = 'Expected text, JSON, or { content, status? }.'

test.each<[unknown, object]>([
  [undefined, { ...success, content: [] }],
  ['done', { ...success, content: texts('done') }],
  ['', { ...success, content: texts('') }],
  [null, { ...success, content: texts('null') }],
  [{ a: 1 }, { ...success, content: texts('{"a":1}') }],
  [{ content: texts('a', 'b') }, { ...success, content: texts('a', 'b') }],
  [
    { content: [{ type: 'image', data: '', mimeType: 'm' }] },
    { ...success, content: texts('[An image of type m was left out: it is empty.]') },
  ],
  [
    { content: [...texts('ok'), { type: 'file', path: '/etc/passwd', name: 'a/b' }], details: 1 },
    {
      ...success,
      content: [
        ...texts('ok'),
        { type: 'text', text: expect.stringMatching(/^\[A file "b" was left out: its bytes are/) },
      ],
      details: 1,
    },
  ],
  [
    { content: [{ type: 'image', image: 'iVBORw0KGgo=' }] },
    { ...success, content: [{ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }] },
  ],
  [
    { content: [], status: 'warning' },
    { ...success, status: 'warning', content: [] },
  ],
  [
    { content: texts('no'), status: 'error' },
    { ...error, content: texts('no') },
  ],
  [
    { content: [], details: { n: 1 }, childRunId: 'r.1' },
    { ...success, content: [], details: { n: 1 }, childRunId: 'r.1' },
  ],
  [
    { content: [], childRunId: 1 },
    { ...success, content: [] },
  ],
  [{ content: 'text' }, { ...success, content: texts('{"content":"text"}') }],
  [{ content: [1] }, { ...success, content: texts('{"content":[1]}') }],
  [{ content: [{ type: 'text' }] }, { ...success, content: texts('[A text was left out: its text is missing.]') }],
  [{ content: [{ type: 'row' }] }, { ...success, content: texts('{"content":[{"type":"row"}]}') }],
  [
    { content: [], status: 'odd' },
    { ...success, content: texts('{"content":[],"status":"odd"}') },
  ],
  [new Suspended({}), { ...error, content: texts(`Tool "act" returned a question here. ${wish}`) }],
  [() => 1, { ...error, content: texts(`Tool "act" returned a value that is not JSON: it is a function. ${wish}`) }],
])('TOOL-01 turns what tool %# returns into a result message', (returned, expected) => {
  expect(toResultMessage(call, toToolResult('act', returned as never), 7)).toEqual(expected)
})

test('TOOL-01 refuses JSON that is too large as text', () => {
  const list = Array.from({ length: 13_000_000 }, () => '')
  const what = 'a value that is too large as text: at most 50000000 bytes of JSON are accepted'
  expect(toResultMessage(call, toToolResult('act', list), 7)).toEqual({
    ...error,
    content: texts(`Tool "act" returned ${what}. ${wish}`),
  })
})

test('PERM-05 tells the model once that a person changed the arguments', () => {
  const edited = { ...call, editedArguments: { n: 2 } }
  const note = '[A person changed the arguments of this call to: {"n":2}]'
  const first = toResultMessage(edited, toToolResult('act', 'done'), 7)
  expect(first.content).toEqual(texts(note, 'done'))
  expect(toResultMessage(edited, { content: first.content, status: 'success' }, 7).content).toEqual(texts(note, 'done'))
  const image = { type: 'image', data: '', mimeType: 'm' } as const
  expect(toResultMessage(edited, { content: [image] }, 7).content).toEqual([...texts(note), image])
  expect(toResultMessage(edited, { content: [] }, 7).content).toEqual(texts(note))
})
