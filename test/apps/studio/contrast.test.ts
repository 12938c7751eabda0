import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const style = readFileSync('src/apps/studio/studio.css', 'utf8')
const themes = ['light', 'dark'] as const

/** The two values of each colour that the style names. */
const colours = new Map(
  [...style.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }] as const,
  ),
)

/** The names of colours that some property of the style is set to. */
function usedBy(property: string): ReadonlySet<string> {
  const uses = style.matchAll(new RegExp(`[{;\\s]${property}:[^;}]*?var\\(--([\\w-]+)\\)`, 'g'))
  return new Set([...uses].map(([, name = '']) => name))
}

/** Relative luminance, as WCAG 2 defines it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The lowest contrast of two named colours: 1 to 21. */
function contrast(one: string, other: string): number {
  const each = themes.map((theme) => {
    const [darker = 0, lighter = 0] = [one, other]
      .map((name) => luminance(colours.get(name)?.[theme] ?? ''))
      .toSorted((left, right) => left - right)
    return (lighter + 0.05) / (darker + 0.05)
  })
  return Math.min(...each)
}

/** The usual backgrounds of text; some colours have other or additional ones. */
const surfaces = ['page', 'card', 'sunk', 'passed']
const surfacesOf: Readonly<Record<string, readonly string[]>> = {
  'on-accent': ['accent'],
  'on-lit': ['lit'],
  text: [...surfaces, 'added', 'removed'],
}
/** Surfaces and lines that say nothing by themselves. */
const plain = new Set(['line', ...surfaces, 'added', 'removed'])

const texts = usedBy('color')
const marks = new Set(
  ['stroke', 'fill', 'border', 'border-color', 'outline', 'box-shadow'].flatMap((one) => [...usedBy(one)]),
)
const told = [...marks].filter((name) => !plain.has(name) && !name.startsWith('on-'))

test('OBS-03 every colour of the style has a light and a dark value', () => {
  const named = [...style.matchAll(/var\(--([\w-]+)\)/g)].map(([, name = '']) => name)
  const lengths = new Set([...style.matchAll(/--([\w-]+):\s*(?:\d|ui-|calc)/g)].map(([, name = '']) => name))
  expect(named.filter((name) => !colours.has(name) && !lengths.has(name))).toEqual([])
  expect(style.match(/#[0-9a-f]{3,8}\b/gi)?.length).toBe(colours.size * 2)
  expect([texts.size, told.length].every((count) => count > 6)).toBe(true)
})

test.each([...texts])('OBS-03 text of the colour %s is readable on all its backgrounds, by WCAG AA', (text) => {
  const found = (surfacesOf[text] ?? surfaces).map((surface) => [surface, contrast(text, surface)] as const)
  expect(found.filter(([, ratio]) => ratio < 4.5)).toEqual([])
})

test.each(told)('OBS-03 drawings in the colour %s are visible on all their backgrounds, by WCAG AA', (mark) => {
  const found = surfaces.map((surface) => [surface, contrast(mark, surface)] as const)
  expect(found.filter(([, ratio]) => ratio < 3)).toEqual([])
})
