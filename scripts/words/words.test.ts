import { describe, expect, test } from 'vitest'
import { citationPlants, missingPages } from './judge-citations.ts'

describe('citations', () => {
  const pages = new Set(['docs/glossary.md'])

  test.each(citationPlants)('the page that is cited in "$text" is not here', ({ text, page }) => {
    expect(missingPages('a.ts', `1\n${text}`, pages)).toEqual([{ path: 'a.ts', line: 2, page }])
  })

  test.each(['glossary §3', 'See docs/glossary.md.', 'see `glossary.md`', 'Sum it up in notes.md', 'see the notes'])(
    'nothing is wrong with "%s"',
    (text) => {
      expect(missingPages('a.ts', text, pages)).toEqual([])
    },
  )
})
