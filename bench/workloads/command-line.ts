import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { startWatch } from '../stopwatch.ts'
import type { Measure, Workload } from '../workload.ts'

/** The time that passes from the start of the command until its first output, as it is built. */
export const commandLine: Workload = {
  name: 'commandLine',
  unit: 'ms',
  floor: 'a process of Node that prints one line.',
  rounds: 11,
  warmUp: { size: 1, times: 2 },
  variants: [
    { name: 'version', sizes: [1], subjects: { floor: bare, statewright: commanded(() => ['--version']) } },
    {
      name: 'run',
      sizes: [1],
      subjects: {
        floor: bare,
        statewright: commanded((root) => ['run', 'Hello', '--model', 'scripted', '--root', root]),
      },
    },
  ],
}

let built: Promise<unknown> | undefined

async function build(): Promise<void> {
  const [code] = await once(spawn('npm', ['run', '--silent', 'build'], { stdio: 'ignore' }), 'exit')
  if (code !== 0) throw new Error('The package could not be built: `npm run build` says why.')
}

function commanded(parameters: (root: string) => readonly string[]): Measure {
  return async (_, place) => {
    built ??= build()
    await built
    const root = place.freshFile()
    mkdirSync(root)
    return firstOutput([resolve('dist/src/apps/cli/main.js'), ...parameters(root)])
  }
}

function bare(): Promise<number> {
  return firstOutput(['-e', "console.log('1')"])
}

/** Milliseconds until a process of Node has printed something; it is ended then. */
async function firstOutput(parameters: readonly string[]): Promise<number> {
  const read = startWatch('passing')
  const child = spawn(process.execPath, [...parameters], { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  const output = await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), exited])
  const time = read() / 1000
  child.kill()
  await exited
  if (!Buffer.isBuffer(output[0])) throw new Error(`The process ended with ${String(output[0])} and said nothing.`)
  return time
}
