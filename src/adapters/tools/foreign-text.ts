import { replaceInvisible } from '../../core/domain/text/invisible.ts'

const patience = 4

/** Returns the visible beginning of a foreign text, with at most `most` characters. */
export function foreignText(text: string, most: number): string {
  const begun = cutText(text, most * patience, '')
  const visible = replaceInvisible(begun, (sign) => (sign === '\n' || sign === '\t' ? sign : ''))
  const isCut = begun.length < text.length && visible.length <= most
  return isCut ? `${visible}…` : cutText(visible, most, '…')
}

/** Returns the beginning of a text, cut between two characters. `mark` replaces the rest. */
export function cutText(text: string, most: number, mark: string): string {
  if (text.length <= most) return text
  const end = text.codePointAt(most - 1) ?? 0
  return `${text.slice(0, end > 0xffff ? most - 1 : most)}${mark}`
}
