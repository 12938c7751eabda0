import { expect, test } from 'vitest'
import { cancelledWork, receiptText, resultOfWork, withoutUnawaited } from '../../../src/core/domain/background.ts'
import { type Message, type UserMessage, userMessage } from '../../../src/core/domain/message.ts'

const work = { toolName: 'export', callId: '1.a', childRunId: 'r1.3.sub.1' }
const receipt = (text = receiptText('export'), childRunId = work.childRunId): Message => ({
  ...{ role: 'toolResult', callId: '1.a', toolCallId: 'a', toolName: 'export', isError: false, status: 'success' },
  ...{ content: [{ type: 'text', text }], childRunId, timestamp: 0 },
})
const result = resultOfWork(work, [{ type: 'text', text: 'Done.' }], 0)
const said = userMessage('And?', 0)

const edited: Message = {
  ...receipt(),
  content: [
    { type: 'text', text: 'Edited.' },
    { type: 'text', text: receiptText('export') },
  ],
} as Message

test.each<[string, readonly Message[], readonly UserMessage[], readonly UserMessage[]]>([
  ['its receipt', [receipt()], [result, said], [result, said]],
  ['a receipt behind a note', [edited], [result], [result]],
  ['no receipt', [], [result, said], [said]],
  ['the receipt of other work', [receipt(undefined, 'other')], [result], []],
  ['another result of the call', [receipt('Exported.')], [result], []],
  ['the result already', [receipt(), result], [result, said], [said]],
  ['the note of a cancel already', [receipt(), cancelledWork(work, 0)], [result], []],
  ['its receipt, given two results', [receipt()], [result, said, result], [result, said]],
])('TC-10 a transcript with %s accepts the messages that it waits for', (_, transcript, messages, taken) => {
  expect(withoutUnawaited(() => transcript, messages)).toEqual(taken)
})

test('TC-10 stores messages of users without reading the transcript', () => {
  const look = () => {
    throw new Error('Nobody looks.')
  }
  expect(withoutUnawaited(look, [said])).toEqual([said])
})

test("TC-10 puts pictures from the background work after the result's text", () => {
  const picture = { type: 'image' as const, data: 'AA==', mimeType: 'image/png' }
  expect(resultOfWork(work, [picture, { type: 'text', text: 'A lamp.' }], 5)).toEqual({
    role: 'user',
    content: [{ type: 'text', text: "[Result of 'export' (1.a): A lamp.]" }, picture],
    timestamp: 5,
    background: { callId: '1.a', childRunId: 'r1.3.sub.1' },
  })
})
