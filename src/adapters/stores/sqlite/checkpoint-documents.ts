import { hashText } from '../../../core/domain/text/json.ts'
import { startingText } from './starting-text.ts'
import { decodeDifference, encodeDifference, longestText } from './text-difference.ts'

/** How many checkpoints may follow a whole one before the next is whole. */
export const mostDifferences = 15

/** Characters of a document that may differ from the starting text: of a longer one that text is a small part. */
const longestStarted = 20_000

/** The checkpoints a run has written last: a next one can be kept as what differs from them. */
export interface CheckpointChain {
  /** Documents of the last two, or of the one there is, after the text it differs from: a turn writes two of different kinds. */
  readonly recent: readonly string[]
  /** Checkpoints since the last whole one. */
  readonly distance: number
}

/** A checkpoint as its row keeps it, and what the next one can differ from. */
export interface KeptDocument {
  readonly text: string
  readonly chain: CheckpointChain
}

/** No JSON text begins with it. */
const mark = '~'

/** In the place of a distance: the document differs from the starting text and needs no checkpoint before it. */
const started = 's'

/**
 * Keeps a document whole, or, where that is shorter by a third, as `~<distance>.<hash of the whole>.<difference>`: from the
 * two before it, or else, `s` for a distance, from the starting text, which stands for the one before the first.
 */
export function keepDocument(document: string, chain: CheckpointChain | undefined): KeptDocument {
  const isFirst = chain === undefined || chain.distance >= mostDifferences
  const before = isFirst ? [startingText] : chain.recent
  const recent = [...before.slice(-1), document]
  const distance = isFirst ? 0 : chain.distance + 1
  if (document.isWellFormed() && document.length <= (isFirst ? longestStarted : longestText)) {
    const text = marked(isFirst ? started : distance, document, encodeDifference(before.join(''), document))
    if (text.length < (document.length * 2) / 3) return { text, chain: { recent, distance } }
  }
  const text = isPart(document) ? marked(0, document, encodeDifference('', document)) : document
  return { text, chain: { recent: [document], distance: 0 } }
}

function marked(distance: number | typeof started, document: string, difference: string): string {
  return `${mark}${distance}.${hashText(document)}.${difference}`
}

/** True for what a row keeps instead of the document itself. */
export function isPart(text: string): boolean {
  return text.startsWith(mark)
}

const header = /^~(\d{1,2}|s)\.([0-9a-f]{14})\./

/** How many checkpoints before this one are needed to read it. */
export function distanceOf(text: string): number {
  const [, distance = started] = header.exec(text) ?? []
  return distance === started ? 0 : Number(distance)
}

/** The document of the last of these rows, which begin with a whole one; undefined where they do not fit together. */
export function readDocument(texts: readonly string[]): string | undefined {
  let recent: readonly string[] = texts[0]?.startsWith(`${mark}${started}`) === true ? [startingText] : []
  for (const [index, text] of texts.entries()) {
    if (distanceOf(text) !== index) return undefined
    const document = documentOf(text, recent.join(''))
    if (document === undefined) return undefined
    recent = [...recent.slice(-1), document]
  }
  const [last = '', document] = [texts.at(-1), recent.at(-1)]
  const hash = header.exec(last)?.[2]
  return document === undefined || hash === undefined || hashText(document) === hash ? document : undefined
}

/** What the rows before came to is not looked at: the hash of the last tells of damage to any. */
function documentOf(text: string, known: string): string | undefined {
  if (!isPart(text)) return text
  const found = header.exec(text)?.[0]
  return found && decodeDifference(known, text.slice(found.length))
}
