import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { drawFrames } from './pictures/draw-frames.ts'
import { drawRecording, type RecordedLine } from './pictures/draw-recording.ts'
import { recordStudio, studioSize } from './pictures/record-studio.ts'

const file = 'docs/pictures/start.svg'

/** The lines of `npm start` that the picture leaves out: the tables behind the three acts. */
const from = '  states passed:'
const to = 'Everything held'

/** Runs `npm start` and returns each printed line with its time in milliseconds. */
async function recordStart(): Promise<readonly RecordedLine[]> {
  const child = spawn(process.execPath, ['examples/kill-demo.ts'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  const start = performance.now()
  const lines: RecordedLine[] = []
  for await (const text of createInterface({ input: child.stdout }))
    lines.push({ text, atMs: performance.now() - start })
  const [code] = (await closed) as [number | null]
  if (code !== 0) throw new Error(`npm start ended with ${code}; expected 0.`)
  return lines
}

const lines = await recordStart()
const first = lines.findIndex(({ text }) => text === from)
const last = lines.findIndex(({ text }) => text.startsWith(to))
const shown = [
  { text: '$ npm start', atMs: 0 },
  ...lines.slice(0, first),
  { text: '', atMs: 0 },
  ...lines.slice(last, last + 1),
]
mkdirSync('docs/pictures', { recursive: true })
writeFileSync(file, drawRecording(shown))
console.log(`${file}: ${shown.length} lines`)

const frames = await recordStudio()
writeFileSync('docs/pictures/studio.svg', drawFrames(frames, studioSize))
console.log(`docs/pictures/studio.svg: ${frames.length} pages`)
