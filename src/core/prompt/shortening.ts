// What shortens a prompt is loaded with the first one that has no room.
export { leftOutBy } from './left-out.ts'
export { moveCut } from './move-cut.ts'
export { summaryCut, summaryRange } from './summary-range.ts'
