import { expect, test } from 'vitest'
import { z } from 'zod'
import { eventsOf, runId, testAgent } from '../../../../proof/support/test-agent.ts'
import { scripted } from '../../../../src/adapters/providers/scripted.ts'
import type { Model, ModelRequest } from '../../../../src/core/ports/model.ts'
import type { Schema } from '../../../../src/core/ports/schema.ts'
import { jsonSchemaOf } from '../../../../src/core/effects/tools/json-schema-of.ts'
import { rootedOutput } from '../../../../src/core/effects/model/rooted-output.ts'
import { checkJsonSchema } from '../../../../src/core/effects/tools/check-json-schema.ts'

const object = z.object({ n: z.number() })

test('AGT-08 uses an object as the output itself, and wraps any other root in the field "value"', () => {
  const plain = jsonSchemaOf(object)
  expect(rootedOutput(plain)).toEqual({ schema: plain, isWrapped: false })
  expect(rootedOutput({ type: 'string' })).toEqual({
    schema: {
      type: 'object',
      properties: { value: { type: 'string' } },
      required: ['value'],
      additionalProperties: false,
    },
    isWrapped: true,
  })
  const union = { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] }
  expect(rootedOutput(union).isWrapped).toBe(true)
})

test('AGT-08 keeps the references of a moved root valid', () => {
  const tree = {
    type: 'array',
    items: { anyOf: [{ $ref: '#' }, { $ref: '#/$defs/leaf' }, { $ref: '#/items/anyOf/1' }, { const: { $ref: '#' } }] },
    $defs: { leaf: { type: 'number' } },
  }
  const { schema } = rootedOutput(tree)
  expect(schema).toMatchObject({
    $defs: tree.$defs,
    properties: {
      value: {
        items: {
          anyOf: [
            { $ref: '#/properties/value' },
            { $ref: '#/$defs/leaf' },
            { $ref: '#/properties/value/items/anyOf/1' },
            { const: { $ref: '#' } },
          ],
        },
      },
    },
  })
  expect(checkJsonSchema(schema, { value: [1, [2, []]] })).not.toHaveProperty('issues')
  expect(checkJsonSchema(schema, { value: ['x'] }).issues).toContain('#/value/0')
})

test.each<readonly [Schema, string, unknown]>([
  [z.array(z.number()), '{"value":[1]}', [1]],
  [z.array(z.number()), '[1]', [1]],
  [z.array(z.number()), 'The list: {"value":[1]}', [1]],
  [z.string(), '{"value":"five"}', 'five'],
  [z.string(), 'Some words, with [1] in them', 'Some words, with [1] in them'],
  [z.string(), '<think>{"value":"six"}</think>{"value":"five"}', 'five'],
  [z.enum(['a', 'b']), '{"value":"b"}', 'b'],
  [z.union([object, z.object({ value: z.number() })]), '{"value":{"n":1}}', { n: 1 }],
  [z.union([object, z.object({ value: z.number() })]), '{"value":1}', { value: 1 }],
  [object, 'Once {"n":1}, or again {"n": 1}', { n: 1 }],
  [object, 'See [1]: {"n":1}', { n: 1 }],
])('AGT-08 the output by %j of the answer %j is %j, without a correction', async (output, answer, expected) => {
  const { agent } = testAgent({ output, replies: [answer] })
  expect(await agent.run('Which?', { runId })).toMatchObject({ output: expected, turns: 1 })
})

test('AGT-08 accepts neither of two values that do not fit, and reports the problem of a single value', async () => {
  const { agent } = testAgent({ output: object, replies: ['{"n":1} or {"n":2}', 'It is {"n":"x"}', '{"n":3}'] })
  const { output, turns, messages } = await agent.run('Which?', { runId })
  expect({ output, turns }).toEqual({ output: { n: 3 }, turns: 3 })
  const corrections = messages.filter(({ role }) => role === 'user').slice(1)
  expect(JSON.stringify(corrections)).toMatch(/received string.*- n: Invalid input: expected number, received string/)
})

test('AGT-08 EVT-02 streams a wrapped value without the object around it', async () => {
  const asked: ModelRequest['output'][] = []
  const model = scripted(['{"value":[1,2]}'])
  const streaming: Model = {
    ...model,
    async *stream(request) {
      asked.push(request.output)
      for (const delta of ['{"val', 'ue":[1', ',2', ']}']) yield { type: 'text', delta }
      for await (const event of model.stream(request)) if (event.type === 'finished') yield event
    },
  }
  const { agent } = testAgent({ model: streaming, output: z.array(z.number()) })
  const events = await eventsOf(agent.start('Which?', { runId }))
  expect(asked[0]?.schema['type']).toBe('object')
  const partials = events.flatMap((event) => (event.type === 'output.updated' ? [event.partial] : []))
  expect(partials).toEqual([[], [1], [1, 2]])
})
