import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** A fault in one line of the source, and a policy of an agent of `provenAgents` about which the fault deceives. */
export interface PlantedHole {
  readonly name: string
  /** The end of the path of the file. */
  readonly file: string
  readonly from: string
  readonly to: string
  readonly agent: number
  readonly policy: string
  readonly bound: { readonly calls: number; readonly decisions: number; readonly crashes: number }
  /** The verdict without the fault. */
  readonly truth: 'proven' | 'broken'
}

/** Faults in the judge of a call, in the monitor of policies, in their evaluator and in what a log tells of families. */
export const plantedHoles: readonly PlantedHole[] = [
  {
    name: 'the judge takes no notice of rules that ask',
    file: 'core/effects/permissions/judge-call.ts',
    from: "const isAsking = answer?.effect === 'ask'",
    to: 'const isAsking = false',
    agent: 0,
    policy: 'until(not ran(pay(amount != 5)), waited(pay))',
    bound: { calls: 1, decisions: 0, crashes: 0 },
    truth: 'proven',
  },
  {
    name: 'the monitor looks at each call beside others as if the others had not begun',
    file: 'core/plugins/policies.ts',
    from: 'if (one.place <= known) continue',
    to: 'if (one.place > 0) continue',
    agent: 1,
    policy: 'always(ran(read_mail) implies never(ran(send_mail)))',
    bound: { calls: 2, decisions: 0, crashes: 0 },
    truth: 'proven',
  },
  {
    name: 'the monitor does not see that a call was interrupted',
    file: 'core/domain/policies/policy-fold.ts',
    from: "suspension.reason === 'interrupted'",
    to: "suspension.reason === 'approval'",
    agent: 1,
    policy: 'always(crashed(deploy) implies until(not ran(deploy), approvedBy(anna)))',
    bound: { calls: 2, decisions: 1, crashes: 1 },
    truth: 'proven',
  },
  {
    name: 'the evaluator forgets a policy after its first step',
    file: 'core/domain/policies/formula.ts',
    from: 'return both([next(formula.of), formula])',
    to: 'return next(formula.of)',
    agent: 1,
    policy: 'always(ran(send_mail) implies never(ran(read_mail)))',
    bound: { calls: 2, decisions: 0, crashes: 0 },
    truth: 'broken',
  },
  {
    name: 'the end of a sub-agent counts as an approval of its call',
    file: 'testing/policies/log-steps.ts',
    from: ' && !isWake(event)',
    to: '',
    agent: 3,
    policy: 'never(ran(helper) and approvedBy("*"))',
    bound: { calls: 1, decisions: 1, crashes: 0 },
    truth: 'proven',
  },
]

/** Proves the policy of a hole in a process of its own, whose source has the fault or not. Returns the verdict. */
export async function verdictWith(hole: PlantedHole, isPlanted: boolean): Promise<string> {
  const program = new URL('prove-planted.ts', import.meta.url).pathname
  const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify({ ...hole, isPlanted })])
  return stdout.trim()
}
