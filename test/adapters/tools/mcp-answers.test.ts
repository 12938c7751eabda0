import { expect, test } from 'vitest'
import { answersField, answersIn, markOf, type Question } from '../../../src/adapters/tools/mcp/question.ts'

test('TOOL-04 answers in the arguments since an earlier question do not answer the next one', async () => {
  const properties = { city: { type: 'string', default: 'nowhere' } }
  const params = { mode: 'form', message: 'Where to?', requestedSchema: { type: 'object', properties } }
  const requests = { where: { method: 'elicitation/create', params } }
  const given = { [answersField]: { where: { city: 'Rome' } } }
  const question = { tool: 't', arguments: {}, requests, isLive: false }
  const answered = async (asked: Question) => {
    const answers = await answersIn(asked, given)
    return 'responses' in answers ? answers.responses['where']?.content : answers
  }
  expect(await answered(question)).toEqual({ city: 'Rome' })
  const earlier = markOf(given)
  expect(await answered({ ...question, ...(earlier === undefined ? {} : { earlier }) })).toEqual({ city: 'nowhere' })
})
