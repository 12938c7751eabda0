import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { openApiToolset } from '../../src/adapters/tools/openapi.ts'
import { type ApprovedFiles, approvedFiles, bareApprovedFiles } from '../approved-files.ts'
import { bareLoop } from '../bare-loop.ts'
import { bareDeltas, readDeltas } from '../read-deltas.ts'
import type { Workload } from '../workload.ts'
import { agentsAtOnce } from './at-once.ts'
import { editMissing, lookInFile, previewReplaced, readReplaced } from './file-changes.ts'

/** The longest time in which no timer of the process could fire. */
export const longestBlock: Workload = {
  name: 'longestBlock',
  unit: 'ms',
  floor:
    'inserts the same messages and previews by hand into a table (run, seq, body), reads them once, and inserts the results.',
  rounds: 3,
  variants: [
    {
      name: 'deltas',
      floor: 'joins the texts of the same deltas, which an async generator yields.',
      sizes: [1_000_000],
      subjects: {
        floor: (count) => longestBlockOf(() => bareDeltas(count)),
        statewright: (count) => longestBlockOf(() => readDeltas(memoryStore(), count)),
      },
    },
    {
      name: 'atOnce',
      floor: 'as many loops of promises at once that push the same messages onto an array each.',
      sizes: [1000],
      subjects: {
        floor: (runs) => longestBlockOf(() => loopsAtOnce(runs)),
        statewright: (runs) => longestBlockOf(() => agentsAtOnce(runs)),
      },
    },
    {
      name: 'slashes',
      floor: 'parses the same document by JSON.parse.',
      sizes: [200_000],
      subjects: {
        floor: (count) => longestBlockOf(async () => void JSON.parse(slashesOf(count))),
        statewright: (count) => longestBlockOf(() => openDocument(slashesOf(count))),
      },
    },
    {
      name: 'preview',
      floor: 'writes and reads the same file and splits the old and the new text into lines.',
      sizes: [5_200],
      subjects: {
        floor: (lines) => longestBlockOf(() => readReplaced(lines)),
        statewright: (lines) => longestBlockOf(() => previewReplaced(lines)),
      },
    },
    {
      name: 'edit',
      floor: 'writes and reads the same file and looks for a text by includes.',
      sizes: [5_000_000],
      subjects: {
        floor: (bytes) => longestBlockOf(() => lookInFile(bytes)),
        statewright: (bytes) => longestBlockOf(() => editMissing(bytes)),
      },
    },
    {
      name: 'approval',
      sizes: [390_000],
      subjects: {
        floor: (bytes, place) => blockOfFiles(bareApprovedFiles, { files: 1, bytes, path: place.freshFile() }),
        statewright: (bytes, place) => blockOfFiles(approvedFiles, { files: 1, bytes, path: place.freshFile() }),
      },
    },
    {
      name: 'approved files',
      sizes: [20],
      subjects: {
        floor: (files, place) => blockOfFiles(bareApprovedFiles, { files, bytes: 49_000, path: place.freshFile() }),
        statewright: (files, place) => blockOfFiles(approvedFiles, { files, bytes: 49_000, path: place.freshFile() }),
      },
    },
    {
      name: 'suspended calls',
      sizes: [128],
      subjects: {
        floor: (files, place) => blockOfFiles(bareApprovedFiles, { files, bytes: 4_000, path: place.freshFile() }),
        statewright: (files, place) => blockOfFiles(approvedFiles, { files, bytes: 4_000, path: place.freshFile() }),
      },
    },
  ],
}

function blockOfFiles(play: (round: ApprovedFiles) => Promise<void>, round: ApprovedFiles): Promise<number> {
  return longestBlockOf(() => play(round))
}

/** A document whose server ends in so many slashes, and goes on. */
function slashesOf(count: number): string {
  const servers = [{ url: `https://x.example/${'/'.repeat(count)}a` }]
  return JSON.stringify({ openapi: '3.1.0', servers, paths: { '/a': { get: { operationId: 'op', servers } } } })
}

async function openDocument(text: string): Promise<void> {
  const toolset = openApiToolset({ source: { text } })
  const tools = await toolset.tools()
  await toolset.close()
  if (tools.length !== 1) throw new Error(`The document has ${tools.length} tools.`)
}

async function loopsAtOnce(runs: number): Promise<void> {
  await Promise.all(Array.from({ length: runs }, () => bareLoop({ turns: 5 })))
}

/** Milliseconds between the two ticks that are furthest apart, of a timer that ticks each millisecond. */
async function longestBlockOf(work: () => Promise<void>): Promise<number> {
  let longest = 0
  let last = performance.now()
  const tick = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const ticking = setInterval(tick, 1)
  await work()
  tick()
  clearInterval(ticking)
  return longest
}
