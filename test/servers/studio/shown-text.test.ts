import { h, options } from 'preact'
import { afterEach, expect, test } from 'vitest'
import { showAllTexts, shownText } from '../../../src/apps/studio/shown-text.ts'

afterEach(() => {
  delete options.vnode
})

test('OBS-03 spells out invisible characters in the texts of an element, but not in its attributes', () => {
  showAllTexts()
  const hidden = 'ask\u200b\u{e0061}\u202e'
  const shown = 'ask\\u{200B}\\u{E0061}\\u{202E}'
  const { props } = h('p', { title: hidden, 'aria-label': hidden, id: hidden }, [hidden, ' is ', [hidden, null, 3]])
  expect(props).toEqual({ title: shown, 'aria-label': shown, id: hidden, children: [shown, ' is ', [shown, null, 3]] })
  expect(h('input', { value: hidden }).props).toEqual({ value: hidden })
  const inner = () => null
  expect(h(inner, { title: hidden } as never, hidden).props).toEqual({ title: hidden, children: hidden })
})

test.each(['👩‍👩‍👧', '🧑🏽‍💻', '❤️‍🔥', 'grüße 世界'])('OBS-03 CLI-01 shows %s as it is', (text) => {
  expect(shownText(text)).toBe(text)
})
