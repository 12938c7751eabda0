/** Matches control characters, invisible characters and direction marks, except those of an emoji. */
const invisible =
  /[[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2028\u2029]--[\u200d]--[\ufe0f]]|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d|\u200d(?!\p{Extended_Pictographic})/v

const everyInvisible = new RegExp(invisible, 'gv')

/** Returns true if a text contains an invisible character. */
export function hasInvisible(text: string): boolean {
  return invisible.test(text)
}

/** Replaces each invisible character in a text, including line feeds and tabs. */
export function replaceInvisible(text: string, shown: (character: string) => string): string {
  return text.replaceAll(everyInvisible, shown)
}
