import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { drawFrames } from './pictures/draw-frames.ts'
import { drawLines, drawRecording, type RecordedLine } from './pictures/draw-recording.ts'
import { recordCommands } from './pictures/record-commands.ts'
import { recordStudio, studioSize } from './pictures/record-studio.ts'

/** The endings of the file names. A page shows the picture that suits its reader's colours. */
const endings = { light: '', dark: '-dark' } as const
const schemes = ['light', 'dark'] as const

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

function save(name: string, picture: string, what: string): void {
  writeFileSync(`docs/pictures/${name}.svg`, picture)
  console.log(`docs/pictures/${name}.svg: ${what}`)
}

/** The pictures by what they show; without a name on the command line all are made. */
const pictures: { readonly [name: string]: () => Promise<void> | void } = {
  start: async () => {
    const lines = await recordStart()
    const end = lines.findIndex(({ text }) => text.startsWith('Everything held'))
    const shown = [{ text: '$ npm start', atMs: 0 }, ...lines.slice(0, end + 1)]
    for (const scheme of schemes) save(`start${endings[scheme]}`, drawRecording(shown, scheme), `${shown.length} lines`)
  },
  studio: async () => {
    for (const scheme of schemes) {
      const frames = await recordStudio(scheme)
      save(`studio${endings[scheme]}`, drawFrames(frames, studioSize), `${frames.length} pages`)
    }
  },
  before: () => {
    for (const [name, lines] of Object.entries(recordCommands()))
      save(`before-${name}`, drawLines(`Commands and what they print: ${name}`, lines), `${lines.length} lines`)
  },
}

const [, , ...wanted] = process.argv
const unknown = wanted.find((name) => pictures[name] === undefined)
if (unknown !== undefined)
  throw new Error(`No picture is named "${unknown}". Known: ${Object.keys(pictures).join(', ')}.`)
mkdirSync('docs/pictures', { recursive: true })
for (const [name, make] of Object.entries(pictures)) if (wanted.length === 0 || wanted.includes(name)) await make()
