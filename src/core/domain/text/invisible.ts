/** Control characters, characters nobody sees, and marks that turn the writing direction; those of an emoji hide nothing. */
const invisible =
  /[[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2028\u2029]--[\u200d]--[\ufe0f]]|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d|\u200d(?!\p{Extended_Pictographic})/v

const everyInvisible = new RegExp(invisible, 'gv')

/** Whether a text holds a character that does not show. */
export function hasInvisible(text: string): boolean {
  return invisible.test(text)
}

/** A text with something else in the place of each character that does not show, line feeds and tabs included. */
export function replaceInvisible(text: string, shown: (character: string) => string): string {
  return text.replaceAll(everyInvisible, shown)
}
