import { retiredWords } from './retired-words.ts'

/** The retired word in a name, in any of its forms; undefined where there is none. */
export function retiredWordIn(name: string): string | undefined {
  for (const segment of segmentsOf(name)) {
    const word = forms.get(segment)
    if (word !== undefined) return word
  }
  return undefined
}

/** The words a name is put together from, in lower case: `openDrive-2` is `open` and `drive`. */
function segmentsOf(name: string): readonly string[] {
  return (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((segment) => segment.toLowerCase())
}

/** Each form of a retired word: `staged` to `stage`. */
const forms: ReadonlyMap<string, string> = new Map(
  [...retiredWords.keys()].flatMap((word) => formsOf(word).map((form) => [form, word] as const)),
)

/** The word, its plural and its participles. */
function formsOf(word: string): readonly string[] {
  const stem = word.endsWith('e') ? word.slice(0, -1) : word
  return [word, pluralOf(word), `${stem}ed`, `${stem}ing`]
}

function pluralOf(word: string): string {
  if (word.endsWith('fe')) return `${word.slice(0, -2)}ves`
  return /(s|ch)$/.test(word) ? `${word}es` : `${word}s`
}
