import { type Grant, listGrants, revokeGrant } from '../../../ports.ts'
import type { Store } from '../../../index.ts'
import { type CliError, exitCodes, unusable } from '../terminal/cli-error.ts'
import { commandOnStore } from '../setup/command-table.ts'
import { describeTime } from '../terminal/describe-amount.ts'
import type { CommandResult } from '../runs/run-report.ts'
import { oneLine } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'
import { userName } from '../setup/user-name.ts'

/**
 * `grants`: lists the grants and denials that apply to more than one call, for every run of the store; with `--revoke`,
 * revokes one.
 */
export async function showGrants(session: Session): Promise<CommandResult> {
  const { store, options, print, io } = session
  if (options.revoke !== undefined) return await takeBack(session, options.revoke)
  const grants = await listGrants(store)
  const now = io.clock.now()
  print(...(grants.length === 0 ? ['no grants'] : grants.map((grant) => lineOf(grant, now))))
  return { exitCode: exitCodes.success, report: { grants } }
}

/** Returns the line that explains how to revoke the grant that an answer made, or undefined if it made none. */
export async function revokingLine(
  { store, options }: Session,
  runId: string,
  callId: string,
): Promise<string | undefined> {
  const grant = (await listGrants(store, { runId })).find((one) => one.callId === callId && one.scope === 'always')
  return grant && `Allowed until it is revoked: ${commandOnStore(['grants', '--revoke', grant.id], options)}`
}

async function takeBack({ store, io, print }: Session, id: string): Promise<CommandResult> {
  const by = userName()
  const grant = await revokeGrant(store, id, { at: io.clock.now(), ...(by === undefined ? {} : { by }) })
  if (grant === undefined) throw await unknownGrant(store, id)
  print(`revoked ${describe(grant)}`)
  return { exitCode: exitCodes.success, report: { revoked: grant } }
}

async function unknownGrant(store: Store, id: string): Promise<CliError> {
  const known = (await listGrants(store)).map((grant) => grant.id)
  const hint = known.length === 0 ? 'There are no grants.' : `Known: ${known.slice(0, 20).join(', ')}.`
  return unusable('unknown_grant', `No grant ${JSON.stringify(oneLine(id, 100))}.`, hint)
}

function lineOf(grant: Grant, now: number): string {
  const by = grant.by === undefined ? '' : `, by ${oneLine(grant.by, 100)}`
  return `${oneLine(grant.id, 100)}  ${describe(grant)}${by}, ${describeTime(now - grant.at)} ago`
}

function describe({ says, scope, toolName, rule, grantee }: Grant): string {
  const what = rule === undefined ? oneLine(toolName, 100) : `${oneLine(toolName, 100)} by rule ${oneLine(rule, 200)}`
  return `${says} ${scope}: ${what}, for ${oneLine(grantee, 200)}`
}
