import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { mkdtemp, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as is from '../../../core/domain/text/option-shape.ts'
import type { Sandbox, SandboxCommand, SandboxProcess } from '../../../core/ports/sandbox.ts'
import { errorCode } from '../file-failure.ts'
import { boxParameters } from './box-parameters.ts'
import { keepPlaces } from './kept-places.ts'
import { openBytes, setUidFilter } from './set-uid-filter.ts'
import type { BubblewrapOptions } from './bubblewrap-options.ts'

const most = is.optional(is.number('a whole number of 1 or more', (value) => Number.isInteger(value) && value >= 1))
const shape: is.OptionShape<BubblewrapOptions> = {
  network: is.optional(is.oneOf('none', 'allow')),
  git: is.optional(is.oneOf('read', 'write')),
  readable: is.optional(is.listOf(is.filledText)),
  maxProcesses: most,
  maxMemory: most,
  maxFileSize: most,
  program: is.optional(is.filledText),
}

/**
 * Returns a box made by bubblewrap (Linux). The root is writable, system folders are readable, and everything else is
 * hidden. There is no network; the box has its own processes and users, and limits on processes, memory and file size.
 * In the root, `.statewright` is hidden, and `.git` is read-only, because git would run its content outside the box. No
 * file becomes set-uid.
 */
export function bubblewrap(options: BubblewrapOptions = {}): Sandbox {
  is.checkOptions('bubblewrap', options, shape)
  const { program = 'bwrap', git = 'read' } = options
  const filter = setUidFilter(process.arch)
  const wrap = (command: SandboxCommand): SandboxProcess => {
    const kept = keepPlaces(command.root, git)
    const filters = filter === undefined ? [] : [openBytes(filter)]
    const descriptors = [...kept.descriptors, ...filters]
    return {
      program,
      parameters: boxParameters(command, kept, options, filter && 3 + kept.descriptors.length),
      environment: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
      entersFolder: true,
      descriptors,
      ...(git === 'read' ? { advice: (stderr) => (stderr.includes('.git/') ? readOnly : undefined) } : {}),
      stop: async () => descriptors.forEach((descriptor) => closeSync(descriptor)),
    }
  }
  let checked: Promise<string | undefined> | undefined
  const isRoot = process.getuid?.() === 0
  const unfit = isRoot && filter === undefined ? noFilter : undefined
  return {
    name: 'bubblewrap',
    isBoundary: true,
    ...(isRoot ? { notice: 'Run as root, the box has no limit on the number of processes.' } : {}),
    wrap,
    check: async () => {
      const found = unfit ?? (await (checked ??= tryOut(wrap)))
      if (found !== undefined) checked = undefined
      return found
    },
  }
}

const readOnly =
  "[.git can only be read in this box, so that commands neither commit nor fetch. Tell the user: bubblewrap({ git: 'write' }) allows that.]"

const noFilter = `The sandbox "bubblewrap" cannot keep root from setting set-uid bits on this processor (${process.arch}). Run as another user.`

/** Tries a box on an empty folder: whether user namespaces are allowed shows only there. */
async function tryOut(wrap: Sandbox['wrap']): Promise<string | undefined> {
  const root = await mkdtemp(join(tmpdir(), 'box-'))
  try {
    return await problemOf(wrap({ command: 'true', root, folder: '.', environment: {} }))
  } finally {
    await rmdir(root)
  }
}

async function problemOf({ program, parameters, environment, descriptors = [], stop }: SandboxProcess) {
  try {
    if (process.platform !== 'linux')
      return `The sandbox "bubblewrap" runs on Linux only, and this is ${process.platform}.`
    const stdio = ['ignore', 'ignore', 'pipe', ...descriptors] as const
    const child = spawn(program, [...parameters], { env: environment, timeout: 10_000, stdio: [...stdio] })
    return await new Promise<string | undefined>((resolve) => {
      let stderr = ''
      child.stderr?.on('data', (bytes: Buffer) => (stderr = `${stderr}${bytes.toString()}`.slice(0, 500)))
      child.once('error', (error) => resolve(failure(program, error)))
      child.once('close', (code, signal) => {
        if (code === 0) return resolve(undefined)
        resolve(`The sandbox "bubblewrap" does not work here: ${stderr.trim() || `it ended with ${code ?? signal}.`}`)
      })
    })
  } finally {
    await stop?.()
  }
}

function failure(program: string, error: Error): string {
  if (errorCode(error) !== 'ENOENT') return `The sandbox "bubblewrap" does not work here: ${error.message}`
  return `The sandbox "bubblewrap" needs the program "${program}", which was not found. ${installation}`
}

const installation =
  'Install it: apt-get install bubblewrap (Debian, Ubuntu), dnf install bubblewrap (Fedora), pacman -S bubblewrap (Arch).'
