import { threadId } from 'node:worker_threads'
import { thrownText } from '../../core/domain/text/thrown-text.ts'
import type { Redactor } from '../../core/domain/text/redactor.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Sandbox, SandboxCommand, SandboxEnd, SandboxProcess } from '../../core/ports/sandbox.ts'
import type { ToolContext, ToolResult } from '../../core/ports/tool.ts'
import { CapturedOutput, outputLimit } from './captured-output.ts'
import { errorCode, failed } from './file-failure.ts'
import { type EndedProcess, runProcess } from './run-process.ts'

interface CommandMeans {
  readonly sandbox: Sandbox
  /** A path of the working folder that this process holds. */
  readonly held: string
  readonly timeoutMs: number
  readonly redactor: Redactor
  readonly clock: Clock
}

let count = 0

/**
 * Runs one command and returns how it ended. Output is reported as updates while it arrives. Throws if the call was
 * cancelled before.
 */
export async function runCommand(
  command: SandboxCommand,
  { sandbox, held, timeoutMs, redactor, clock }: CommandMeans,
  context: ToolContext,
): Promise<ToolResult> {
  context.signal.throwIfAborted()
  const passOn = (stream: string) => (text: string) =>
    context.update({ content: [{ type: 'text', text }], details: { stream } })
  const output = {
    stdout: new CapturedOutput(redactor.stream(), passOn('stdout')),
    stderr: new CapturedOutput(redactor.stream(), passOn('stderr')),
  }
  if (sandbox.run !== undefined) {
    const ended = await runElsewhere(command, sandbox.run.bind(sandbox), { timeoutMs, clock }, context).catch(
      thrownText,
    )
    if (typeof ended === 'string') return failed(ended)
    output.stdout.take(Buffer.from(ended.output))
    const notes = ended.isCut ? '[Cut: the terminal has more output than was kept.]' : undefined
    return told(ended, output, { sandbox: sandbox.name, timeoutMs, advice: () => notes })
  }
  const marker = ['STATEWRIGHT_SHELL', `${process.pid}.${threadId}.${clock.now()}.${++count}`] as const
  const marked = { ...command, environment: { ...command.environment, [marker[0]]: marker[1] } }
  const wrapped = wrapIn(sandbox, marked)
  if (typeof wrapped === 'string') return failed(wrapped)
  try {
    const ended = await runProcess(wrapped, {
      folder: held,
      marker,
      timeoutMs,
      signal: context.signal,
      clock,
      onOutput: (stream, bytes) => output[stream].take(bytes),
    })
    return told(ended, output, { sandbox: sandbox.name, timeoutMs, advice: wrapped.advice })
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return failed(`"${wrapped.program}" could not be started: ${errorCode(error)}. Tell the user to install it.`)
  }
}

/** Milliseconds that a command elsewhere has for its end after it was asked to end. */
const graceMs = 5_000

/** Runs a command elsewhere, within its time limit. Rejects if the command does not end when it has to. */
async function runElsewhere(
  command: SandboxCommand,
  run: NonNullable<Sandbox['run']>,
  { timeoutMs, clock }: Pick<CommandMeans, 'timeoutMs' | 'clock'>,
  { callId, signal }: ToolContext,
): Promise<EndedProcess & SandboxEnd> {
  const [ending, over] = [new AbortController(), new AbortController()]
  const stuck = Promise.withResolvers<never>()
  const end = () => {
    ending.abort()
    void clock.sleepUntil(clock.now() + graceMs, over.signal).then(() => {
      if (over.signal.aborted) return
      stuck.reject(new Error(`The command was asked to end, and was still running ${graceMs} ms later.`))
    })
  }
  signal.addEventListener('abort', end, { once: true })
  const startedAt = clock.now()
  let isTimedOut = false
  void clock.sleepUntil(startedAt + timeoutMs, over.signal).then(() => {
    if (over.signal.aborted) return
    isTimedOut = !signal.aborted
    end()
  })
  try {
    const ended = await Promise.race([run(command, { callId, signal: ending.signal }), stuck.promise])
    return { ...ended, isTimedOut, durationMs: clock.now() - startedAt }
  } finally {
    over.abort()
    signal.removeEventListener('abort', end)
  }
}

function wrapIn(sandbox: Sandbox, command: SandboxCommand): SandboxProcess | string {
  try {
    return sandbox.wrap(command)
  } catch (error) {
    return `The command was not run: ${thrownText(error)}`
  }
}

interface ToldOf {
  readonly sandbox: string
  readonly timeoutMs: number
  readonly advice: SandboxProcess['advice']
}

function told(
  ended: EndedProcess,
  { stdout, stderr }: { readonly stdout: CapturedOutput; readonly stderr: CapturedOutput },
  { sandbox, timeoutMs, advice = () => undefined }: ToldOf,
): ToolResult {
  const { exitCode, signal, isTimedOut, durationMs } = ended
  const [out, err] = [stdout.end(), stderr.end()]
  const notes = [
    ...(isTimedOut ? [`[Timeout: ended after ${timeoutMs} ms. Ask for more time, or for less work.]`] : []),
    ...(!isTimedOut && exitCode !== null && exitCode !== 0 ? [`[Exit code ${exitCode}.]`] : []),
    ...(!isTimedOut && signal !== null ? [`[Ended by ${signal}.]`] : []),
    ...[advice(err) ?? []].flat(),
    ...cutNote('stdout', stdout),
    ...cutNote('stderr', stderr),
  ]
  const texts = [out, ...(err === '' ? [] : [`[stderr]\n${err}`]), ...notes].filter((text) => text !== '')
  return {
    content: (texts.length === 0 ? ['[No output.]'] : texts).map((text) => ({ type: 'text', text })),
    status: isTimedOut ? 'error' : notes.length === 0 ? 'success' : 'warning',
    details: {
      exitCode,
      signal,
      durationMs,
      isTimedOut,
      sandbox,
      stdoutBytes: stdout.bytes,
      stderrBytes: stderr.bytes,
    },
  }
}

function cutNote(name: string, { isCut, bytes }: CapturedOutput): readonly string[] {
  return isCut
    ? [`[${name} cut: the first ${outputLimit} of ${bytes} bytes are kept. Use tail, or write to a file.]`]
    : []
}
