import { systemClock } from '../../core/ports/system-clock.ts'
import { exitCodes } from './terminal/cli-error.ts'
import { main } from './command-line.ts'

const interrupted = new AbortController()

/** The first Ctrl-C leaves the run stored; a second one ends the process at once. */
process.on('SIGINT', () => {
  if (interrupted.signal.aborted) process.exit(130)
  interrupted.abort()
})

/** If the reader of the output closes it, as `head` does, the run is left stored. */
process.stdout.on('error', () => interrupted.abort())
process.stderr.on('error', () => interrupted.abort())

/** A process without pending events ends before its command does, which is an error. */
let isOver = false
process.exitCode = exitCodes.unusable
process.on('exit', (code) => {
  if (isOver || code !== exitCodes.unusable) return
  process.stderr.write('statewright: The command waited for something that cannot happen any more, and was ended.\n')
})

const exitCode = await main(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  cwd: process.cwd(),
  isTTY: process.stdin.isTTY && process.stdout.isTTY,
  get columns() {
    return process.stdout.columns
  },
  get rows() {
    return process.stdout.rows
  },
  onResize: (resized) => {
    process.stdout.on('resize', resized)
    return () => process.stdout.off('resize', resized)
  },
  onTermination: (terminated) => {
    const forget = (['SIGTERM', 'SIGHUP'] as const).map((signal) => {
      const end = () => {
        terminated()
        process.kill(process.pid, signal)
      }
      process.once(signal, end)
      return () => process.off(signal, end)
    })
    process.once('exit', terminated)
    return () => {
      process.off('exit', terminated)
      for (const take of forget) take()
    }
  },
  onIdle: (idle) => {
    process.once('beforeExit', idle)
    return () => process.off('beforeExit', idle)
  },
  clock: systemClock,
  signal: interrupted.signal,
})

isOver = true

/** Ends the process even if a tool ignores its signal, after all output is written. */
process.stdout.write('', () => process.exit(exitCode))
