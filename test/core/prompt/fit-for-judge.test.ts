import { assert, array, nat, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fitForJudge } from '../../../src/core/prompt/fit-for-judge.ts'
import { textBytes } from '../../../src/core/domain/text/platform.ts'

const count = (text: string) => Math.ceil(textBytes(text) / 4)
const lines = (number: number, text = 'line') =>
  Array.from({ length: number }, (_, place) => `${text} ${place}`).join('\n')
const paragraphs = ['First.', ...Array.from({ length: 20 }, () => 'Middle. '.repeat(10)), 'Last.'].join('\n\n')

describe('AGT-06 texts for a judge', () => {
  test("AGT-06 a judge's texts stay whole if they fit", () => {
    const texts = { conversation: 'User: Hi.', answers: ['A.', 'B.'] }
    expect(fitForJudge(texts, 10, count)).toEqual({ ...texts, isFitting: true })
  })

  test("AGT-06 a judge's texts lose the start of the conversation first, and the answers stay whole", () => {
    const answers = [lines(100), lines(100)]
    const fitted = fitForJudge({ conversation: lines(300), answers }, count(lines(100)) * 2 + 300, count)
    expect(fitted).toEqual({ conversation: lines(300).split('\n').slice(-80).join('\n'), answers, isFitting: true })
  })

  test("AGT-06 a judge's texts keep the first and the last paragraph of the conversation next", () => {
    const fitted = fitForJudge({ conversation: paragraphs, answers: ['A.'] }, 20, count)
    expect(fitted).toEqual({ conversation: 'First.\n\n...\n\nLast.', answers: ['A.'], isFitting: true })
  })

  test("AGT-06 a judge's texts keep only characters of the conversation last", () => {
    const { conversation, answers } = fitForJudge({ conversation: 'x'.repeat(10_000), answers: ['A.'] }, 100, count)
    expect(conversation).toMatch(/^x+\[\.\.\. \d+ characters truncated \.\.\.\]x+$/)
    expect(answers).toEqual(['A.'])
  })

  test("AGT-06 a judge's answers are shortened in the second pass, all in the same way", () => {
    const fitted = fitForJudge({ conversation: 'x'.repeat(10_000), answers: [paragraphs, paragraphs] }, 60, count)
    expect(fitted.answers).toEqual(['First.\n\n...\n\nLast.', 'First.\n\n...\n\nLast.'])
    expect(fitted.isFitting).toBe(true)
  })

  test("AGT-06 a judge's texts report if even the shortest form is over the budget", () => {
    const fitted = fitForJudge({ conversation: 'x'.repeat(10_000), answers: ['y'.repeat(10_000)] }, 3, count)
    expect(fitted.isFitting).toBe(false)
    expect(count(fitted.conversation + fitted.answers.join(''))).toBeLessThan(60)
  })

  test("AGT-06 a judge's texts never grow, and fit whenever they are reported to fit", () => {
    const anyText = string({ maxLength: 500 })
    assert(
      property(anyText, array(anyText, { minLength: 1, maxLength: 4 }), nat(300), (conversation, answers, most) => {
        const fitted = fitForJudge({ conversation, answers }, most, count)
        const size = [fitted.conversation, ...fitted.answers].reduce((sum, text) => sum + count(text), 0)
        expect(fitted.answers).toHaveLength(answers.length)
        expect(fitted.isFitting).toBe(size <= most)
      }),
    )
  })
})
