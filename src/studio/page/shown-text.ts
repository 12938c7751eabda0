import { replaceInvisible } from '../../domain/invisible.ts'

/** Letters of one text that are shown before somebody asks for more. */
export const mostShown = 20_000

/** A text in which what would not show is written as its code, such as `\u{202E}`. */
export function shownText(text: string): string {
  return replaceInvisible(text, (one) =>
    one === '\n' || one === '\t' ? one : `\\u{${(one.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  )
}
