import { bordersOf } from '../../core/domain/text/borders.ts'
import { nextLoopTurn } from '../../core/domain/text/platform.ts'

/** Characters that are looked at before timers have their turn. */
const charactersATurn = 1_000_000

/**
 * Returns at most `most` positions of a text in another, in linear time; `indexOf` is quadratic for repetitive texts.
 */
export async function findText(text: string, wanted: string, most: number): Promise<readonly number[]> {
  const borders = bordersOf(wanted)
  const starts: number[] = []
  let matched = 0
  for (let at = 0; at < text.length && starts.length < most; at++) {
    if (at % charactersATurn === charactersATurn - 1) await nextLoopTurn()
    const code = text.charCodeAt(at)
    while (matched > 0 && code !== wanted.charCodeAt(matched)) matched = borders[matched - 1] ?? 0
    if (code === wanted.charCodeAt(matched)) matched++
    if (matched < wanted.length) continue
    starts.push(at + 1 - matched)
    matched = borders[matched - 1] ?? 0
  }
  return starts
}

/** Returns the number of line feeds in a part of a text. */
export function countFeeds(text: string, from = 0, to = text.length): number {
  let feeds = 0
  for (let at = from; at < to; at++) if (text.charCodeAt(at) === 0x0a) feeds++
  return feeds
}

const piece = 4_096

/** Returns the number of characters with which both texts begin. */
export function commonStart(left: string, right: string): number {
  let at = 0
  while (at + piece <= left.length && right.startsWith(left.slice(at, at + piece), at)) at += piece
  while (at < left.length && at < right.length && left.charCodeAt(at) === right.charCodeAt(at)) at++
  return at
}

/** Returns the number of characters with which both texts end, at most `most`. */
export function commonEnd(left: string, right: string, most: number): number {
  let length = 0
  const isAlike = (end: number) =>
    right.endsWith(left.slice(left.length - end, left.length - length), right.length - length)
  while (length + piece <= most && isAlike(length + piece)) length += piece
  while (length < most && left.charCodeAt(left.length - 1 - length) === right.charCodeAt(right.length - 1 - length))
    length++
  return length
}
