// These are loaded with the first prompt that has no room.
export { leftOutBy } from './left-out.ts'
export { moveCut } from './move-cut.ts'
export { summaryCut, summaryRange } from './summary-range.ts'
