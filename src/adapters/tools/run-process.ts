import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type { Clock } from '../../core/ports/clock.ts'
import type { SandboxProcess } from '../../core/ports/sandbox.ts'
import { killGroup, killStrays } from './kill-processes.ts'

interface RunningOptions {
  /** The working folder, if the process does not find the folder itself. */
  readonly folder: string
  /** A unique name and value in its environment, which identify the processes that it started. */
  readonly marker: readonly [name: string, value: string]
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly onOutput: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void
}

/** The end of a process. */
export interface EndedProcess {
  /** Null if a signal ended it. */
  readonly exitCode: number | null
  readonly signal: string | null
  readonly isTimedOut: boolean
  readonly durationMs: number
}

/** Milliseconds between asking a process group to end and killing it. */
const graceMs = 2_000

/** Milliseconds for which output is still read after the end, if something out of reach holds it open. */
const drainMs = 250

/**
 * Runs a process in its own group until it ends, is cancelled or runs out of time. Then ends all processes of the
 * group.
 */
export async function runProcess(wanted: SandboxProcess, options: RunningOptions): Promise<EndedProcess> {
  const { clock, marker, onOutput } = options
  const startedAt = clock.now()
  const child = start(wanted, options.folder, marker)
  child.stdout?.on('data', (bytes: Buffer) => onOutput('stdout', bytes))
  child.stderr?.on('data', (bytes: Buffer) => onOutput('stderr', bytes))
  const closed = Promise.all([closingOf(child.stdout), closingOf(child.stderr)])
  const over = new AbortController()
  const isTimedOut = stopInTime(child, options, over.signal)
  try {
    const [exitCode, signal] = (await once(child, 'exit')) as [number | null, string | null]
    return { exitCode, signal, isTimedOut: isTimedOut(), durationMs: clock.now() - startedAt }
  } finally {
    over.abort()
    await clear(child, wanted, marker)
    await drained(closed, child, clock)
  }
}

function start(wanted: SandboxProcess, folder: string, [name, value]: RunningOptions['marker']): ChildProcess {
  const { program, parameters, environment, entersFolder, descriptors = [] } = wanted
  try {
    const options = { env: { ...environment, [name]: value }, detached: true, ...(entersFolder ? {} : { cwd: folder }) }
    return spawn(program, [...parameters], { ...options, stdio: ['ignore', 'pipe', 'pipe', ...descriptors] })
  } catch (error) {
    void wanted.stop?.()
    throw error
  }
}

function stopInTime(child: ChildProcess, options: RunningOptions, over: AbortSignal): () => boolean {
  const { clock, signal, timeoutMs } = options
  let isTimedOut = false
  const stop = async () => {
    await clock.sleepUntil(clock.now() + timeoutMs, AbortSignal.any([signal, over]))
    if (over.aborted) return
    isTimedOut = !signal.aborted
    killGroup(child.pid, 'SIGTERM')
    await clock.sleepUntil(clock.now() + graceMs, over)
    if (!over.aborted) killGroup(child.pid, 'SIGKILL')
  }
  void stop()
  return () => isTimedOut
}

async function clear(child: ChildProcess, { stop }: SandboxProcess, marker: RunningOptions['marker']): Promise<void> {
  killGroup(child.pid, 'SIGKILL')
  await stop?.()
  if (child.pid !== undefined) await killStrays(marker, child.pid)
}

function closingOf(stream: Readable | null): Promise<void> {
  return new Promise((resolve) => stream?.once('close', resolve))
}

/** Reads the rest of the output, but not for long if something holds it open. */
async function drained(closed: Promise<unknown>, child: ChildProcess, clock: Clock): Promise<void> {
  const done = new AbortController()
  const late = clock.sleepUntil(clock.now() + drainMs, done.signal)
  await Promise.race([closed, late])
  done.abort()
  child.stdout?.destroy()
  child.stderr?.destroy()
}
