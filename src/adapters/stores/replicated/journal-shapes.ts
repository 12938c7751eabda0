import {
  type Fits,
  isAmount,
  isMissingOr,
  isShaped,
  isText,
  isTexts,
  isBoolean,
} from '../../../core/domain/text/shape.ts'
import type { Behind, Entry, Head, Known, Wake } from './journal.ts'

const isCount: Fits = (value) => Number.isSafeInteger(value) && Number(value) >= 0

const isFold = isShaped<NonNullable<Head['fold']>>({ n: isCount, hash: isText, chunks: isCount, length: isCount })
const isWake = isShaped<Wake>({ at: isAmount, inMs: isCount })

export const isHead = isShaped<Head>({
  n: isCount,
  hash: isText,
  fold: isMissingOr(isFold),
  tail: isCount,
  alarm: isMissingOr(isAmount),
})

export const isEntry = isShaped<Entry>({
  expect: isText,
  change: isMissingOr(isText),
  fold: isMissingOr(isTexts),
  wake: isMissingOr(isWake),
  woken: isMissingOr(isAmount),
})

export const isKnown = isShaped<Known>({ n: isCount, hash: isText, skip: isCount })
export const isBehind = isShaped<Behind>({ head: isHead, isWhole: isBoolean, texts: isTexts, left: isCount })
export const isAlarm = isShaped<{ readonly at: number }>({ at: isAmount })
