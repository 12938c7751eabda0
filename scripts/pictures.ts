import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { drawFrames } from './pictures/draw-frames.ts'
import { drawLines, drawRecording, type RecordedLine } from './pictures/draw-recording.ts'
import { recordCommands } from './pictures/record-commands.ts'
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

/** The pictures by what they show; without a name on the command line all are made. */
const pictures: { readonly [name: string]: () => Promise<void> | void } = {
  start: async () => {
    const lines = await recordStart()
    const first = lines.findIndex(({ text }) => text === from)
    const last = lines.findIndex(({ text }) => text.startsWith(to))
    const shown = [
      { text: '$ npm start', atMs: 0 },
      ...lines.slice(0, first),
      { text: '', atMs: 0 },
      ...lines.slice(last, last + 1),
    ]
    writeFileSync(file, drawRecording(shown))
    console.log(`${file}: ${shown.length} lines`)
  },
  studio: async () => {
    const frames = await recordStudio()
    writeFileSync('docs/pictures/studio.svg', drawFrames(frames, studioSize))
    console.log(`docs/pictures/studio.svg: ${frames.length} pages`)
  },
  before: () => {
    for (const [name, lines] of Object.entries(recordCommands())) {
      writeFileSync(`docs/pictures/before-${name}.svg`, drawLines(`Commands and what they print: ${name}`, lines))
      console.log(`docs/pictures/before-${name}.svg: ${lines.length} lines`)
    }
  },
}

const [, , ...wanted] = process.argv
const unknown = wanted.find((name) => pictures[name] === undefined)
if (unknown !== undefined)
  throw new Error(`No picture is named "${unknown}". Known: ${Object.keys(pictures).join(', ')}.`)
mkdirSync('docs/pictures', { recursive: true })
for (const [name, make] of Object.entries(pictures)) if (wanted.length === 0 || wanted.includes(name)) await make()
