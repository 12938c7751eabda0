import { resolve } from 'node:path'
import { UsageError } from '../../../index.ts'
import type { CommandResult } from '../runs/run-report.ts'
import { agentOptions, exportedOptions as exported } from '../setup/load-agents.ts'
import type { Options } from '../setup/options.ts'
import { exitCodes, misuse } from '../terminal/cli-error.ts'
import type { CliIo } from '../terminal/cli-io.ts'
import { oneLine } from '../terminal/safe-text.ts'
import { modulePath, writeNew } from './record-command.ts'

/** `prove [policy]`: proves a policy, or the agent's own policies, over every run within a bound. It needs no store. */
export async function proveAgent(io: CliIo, options: Options, policy: string | undefined): Promise<CommandResult> {
  const { options: module = '', out } = options
  const print = (...lines: readonly string[]) => {
    const text = lines.map((line) => `${line}\n`).join('')
    if (options.json) io.stderr.write(text)
    else io.stdout.write(text)
  }
  const source = await agentOptions(io, module)
  const own = source.permissions?.policies?.texts ?? []
  if (policy === undefined && own.length === 0) {
    const message = 'There is no policy to prove: none was given, and the agent has none.'
    throw misuse(
      'no_policy',
      message,
      `For example: statewright prove "never(ran(pay) and not approvedBy())" --options ${module}`,
    )
  }
  const { prove, policyFile } = await import('../../../testing/index.ts')
  const steps = options.limit
  const report = await prove(source, policy ?? own, steps === undefined ? {} : { steps }).catch((error: unknown) => {
    if (error instanceof UsageError) throw misuse(error.code, error.message)
    throw error
  })
  const { proofs, stranded, endless, calls } = report
  const broken = proofs.find(({ script }) => script !== undefined)
  print(
    ...proofs.map(({ text }) => oneLine(text, 5_000)),
    ...proofs.flatMap(({ unseen }) =>
      unseen.length === 0 ? [] : [`  at no step: ${oneLine(unseen.join(', '), 1_000)}`],
    ),
    `Calls: ${oneLine(calls.join(', '), 2_000)}`,
    ...(endless.length === 0 ? [] : [`Waits without an expiry: ${oneLine(endless.join(', '), 1_000)}`]),
    ...(stranded.length === 0
      ? []
      : [`Waits that neither an answer nor an expiry ends: ${oneLine(stranded.join(', '), 1_000)}`]),
  )
  if (broken?.script !== undefined) {
    const text = policyFile(broken.policy, broken.script, { module: modulePath(io, module, out), exported })
    if (out === undefined) print('', ...text.trimEnd().split('\n'))
    else await writeNew(resolve(io.cwd, out), text)
  }
  const isDecided = proofs.every(({ verdict }) => verdict === 'proven')
  const isBroken = broken !== undefined || stranded.length > 0
  return {
    exitCode: isBroken ? exitCodes.ended : isDecided ? exitCodes.success : exitCodes.unusable,
    report: { ...report },
  }
}
