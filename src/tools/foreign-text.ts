/** A text somebody else wrote, to be shown as it looks: nothing invisible in it, and no longer than `most` characters. */
export function foreignText(text: string, most: number): string {
  const visible = text.replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu, (sign) =>
    sign === '\n' || sign === '\t' ? sign : '',
  )
  return cutText(visible, most, '…')
}

/** The beginning of a text, cut between two characters; `mark` stands for the rest. */
export function cutText(text: string, most: number, mark: string): string {
  if (text.length <= most) return text
  const end = text.codePointAt(most - 1) ?? 0
  return `${text.slice(0, end > 0xffff ? most - 1 : most)}${mark}`
}
