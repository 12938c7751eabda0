import type { ComponentChild } from 'preact'
import { expect, test } from 'vitest'
import { markdownOf } from '../../../src/apps/studio/markdown.ts'

/** Elements as text: each with its name, and an address if it has one. */
function told(child: ComponentChild): string {
  if (Array.isArray(child)) return child.map(told).join('')
  if (typeof child !== 'object' || child === null) return String(child ?? '')
  if (!('type' in child)) return ''
  const { href, children } = child.props as { readonly href?: string; readonly children?: ComponentChild }
  return `<${String(child.type)}${href === undefined ? '' : ` ${href}`}>${told(children)}</>`
}

test.each([
  ['## Two', '<b>Two</>'],
  ['a **b** `c` *d*', '<div>a <b>b</> <code>c</> <i>d</></>'],
  ['- a\n- b\n2. c', '<ul><li>a</><li>b</></><ol><li>c</></>'],
  ['```sh\n**a**\n```', '<pre>**a**</>'],
  ['```\nopen', '<pre>open</>'],
  ['[a](https://example.org/b)', '<div><a https://example.org/b>a</></>'],
  ['[a](javascript:alert(1))', '<div>[a](javascript:alert(1))</>'],
  ['<img src=x onerror=alert(1)>', '<div><img src=x onerror=alert(1)></>'],
  ['2 * 3 * 4', '<div>2 * 3 * 4</>'],
  ['', '<br></>'],
])('OBS-03 shows the Markdown %j as elements, and everything else as text', (text, expected) => {
  expect(told([...markdownOf(text)])).toBe(expected)
})

test.each(['[', '`', '**', '*a', '- ', '[a](https://'])('OBS-03 reads 20,000 letters of %j as Markdown', (piece) => {
  expect(told([...markdownOf(piece.repeat(20_000 / piece.length))]).length).toBeGreaterThan(10_000)
})
