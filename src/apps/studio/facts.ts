import { type ComponentChild, h } from 'preact'
import { agentName } from './family-tree.ts'
import { costText, countText, lineText, timeText } from './format.ts'
import type { RunSummary } from '../../servers/studio/show-run.ts'
import { runAddress } from './route.ts'
import type { KnownRun } from './run-model.ts'

/** The usage, the limits and the family of a run. */
export function Facts({ known }: { readonly known: KnownRun }): ComponentChild {
  const { summary, shown, parentRunId } = known
  if (summary === undefined) return null
  const { record, standing } = summary
  const { usage, cost } = shown ?? standing
  const { turns, toolInteractions, cacheHitRate, decisions, run } = standing
  const { current, max } = toolInteractions
  const { forkedFrom } = record
  const children = (shown?.calls ?? []).flatMap(({ childRunId }) => childRunId ?? [])
  return h('dl', { class: 'facts' }, [
    ...fact('Agent', agentName(record.agent)),
    ...fact('Turns', String(turns)),
    ...fact('Model calls', max === undefined ? `${current}, no limit` : `${current} of ${max}`),
    ...fact('Tokens', `${countText(usage.totalTokens)} (${countText(usage.input)} in, ${countText(usage.output)} out)`),
    ...fact('From cache', `${Math.round(cacheHitRate * 100)} %`),
    ...fact('Cost', costText(cost)),
    ...fact('Started', timeText(record.createdAt)),
    ...fact('Changed', timeText(record.updatedAt)),
    ...(record.session === undefined ? [] : fact('Session', lineText(record.session, 64))),
    ...Object.entries(run.labels).flatMap(([name, text]) => fact(lineText(name, 40), lineText(text, 200))),
    ...(parentRunId === undefined ? [] : fact('Continues', linkTo(parentRunId))),
    ...(forkedFrom === undefined ? [] : fact('Forked from', linkTo(forkedFrom.runId, forkedFrom.version))),
    ...children.flatMap((child) => fact('Sub-agent', linkTo(child))),
    ...decisions
      .filter(({ by }) => by !== 'family')
      .slice(-20)
      .flatMap((decision) => fact(timeText(decision.at), decidedText(decision))),
  ])
}

function linkTo(runId: string, version?: number): ComponentChild {
  const text = version === undefined ? runId : `${runId}, checkpoint ${version}`
  return h('a', { href: runAddress(runId, version) }, text)
}

/** E.g. `anna denied 2.c1: too early`. */
function decidedText({ action, by = 'somebody', reason, callId }: RunSummary['standing']['decisions'][number]): string {
  const what = `${lineText(by, 40)} ${action === 'cancel' ? 'denied' : 'answered'} ${lineText(callId, 60)}`
  return reason === undefined ? what : `${what}: ${lineText(reason, 200)}`
}

function fact(name: string, value: string | ComponentChild): readonly ComponentChild[] {
  return [h('dt', null, name), h('dd', null, value)]
}
