import { hashText } from '../../domain/json.ts'
import { decodeDifference, encodeDifference } from './text-difference.ts'

/** How many checkpoints may follow a whole one before the next is whole. */
export const mostDifferences = 15

/** The checkpoints a run has written last: a next one can be kept as what differs from them. */
export interface CheckpointChain {
  /** Documents of the last two, or of the one there is: a turn writes two of different kinds. */
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

/** Keeps a document whole, or as `~<distance>.<hash of the whole>.<difference>` where that is shorter by a third. */
export function keepDocument(document: string, chain: CheckpointChain | undefined): KeptDocument {
  const recent = [...(chain?.recent.slice(-1) ?? []), document]
  if (chain !== undefined && chain.distance < mostDifferences && document.isWellFormed()) {
    const distance = chain.distance + 1
    const text = marked(distance, document, encodeDifference(chain.recent.join(''), document))
    if (text.length < (document.length * 2) / 3) return { text, chain: { recent, distance } }
  }
  const text = isPart(document) ? marked(0, document, encodeDifference('', document)) : document
  return { text, chain: { recent: [document], distance: 0 } }
}

function marked(distance: number, document: string, difference: string): string {
  return `${mark}${distance}.${hashText(document)}.${difference}`
}

/** True for what a row keeps instead of the document itself. */
export function isPart(text: string): boolean {
  return text.startsWith(mark)
}

const header = /^~(\d{1,2})\.([0-9a-f]{14})\./

/** How many checkpoints before this one are needed to read it. */
export function distanceOf(text: string): number {
  return Number(header.exec(text)?.[1] ?? 0)
}

/** The document of the last of these rows, which begin with a whole one; undefined where they do not fit together. */
export function readDocument(texts: readonly string[]): string | undefined {
  let recent: readonly string[] = []
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
