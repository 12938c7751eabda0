import { type ComponentChild, h } from 'preact'
import { useState } from 'preact/hooks'
import type { AboutStore } from '../../servers/studio/about-store.ts'
import { post, problemOf } from './client.ts'
import { agentName } from './family-tree.ts'
import { costText, countText, lineText, timeText } from './format.ts'
import { alertOf, button, useRead } from './parts.ts'
import { runAddress } from './route.ts'

/**
 * Shows the cost of the runs, the grants that apply to more than one call, the workers, and the runs that workers leave
 * alone.
 */
export function StorePage(): ComponentChild {
  const { value, problem } = useRead<AboutStore>('store', true)
  const [said, setSaid] = useState('')
  const write = async (path: string, done: string) => {
    try {
      await post(path, {})
      setSaid(done)
    } catch (error) {
      setSaid(problemOf(error))
    }
  }
  if (value === undefined) return alertOf(problem) ?? h('div', { class: 'loading', 'aria-busy': true })
  const { runs, costs, grants, workers, postponed } = value
  const total = costs.reduce((sum, { cost }) => sum + cost, 0)
  return h('div', { class: 'plain-page' }, [
    h('h1', null, 'Store'),
    alertOf(problem),
    h('p', { class: 'said', role: 'status' }, said),
    table(`Cost of the ${countText(runs)} newest runs: ${costText(total)}`, 'The store has no run yet.', [
      ['Agent', 'Runs', 'Tokens', 'Cost'],
      ...costs.map(({ agent, runs: count, tokens, cost }) => [
        lineText(agent, 60),
        countText(count),
        countText(tokens),
        costText(cost),
      ]),
    ]),
    table('Answers that apply to later calls', 'Every call is asked about separately.', [
      ['Tool', 'Answer', 'Applies to', 'Given by', ''],
      ...grants.map(({ id, toolName, says, scope, grantee, agent, by = 'somebody', at }) => [
        lineText(toolName, 60),
        says === 'allow' ? 'allowed' : 'denied',
        `${scope}, ${lineText(agent, 40)}, ${lineText(grantee, 60)}`,
        `${lineText(by, 40)}, ${timeText(at)}`,
        button(
          'Revoke',
          () => void write(`grants/${encodeURIComponent(id)}/revoke`, `${lineText(toolName, 60)} asks again.`),
        ),
      ]),
    ]),
    table('Workers of the last hour', 'No worker has been seen.', [
      ['Worker', 'Agents', 'Drives', 'Last seen'],
      ...workers.map(({ id, host, pid, agents, driving, concurrency, silentMs }) => [
        `${lineText(id, 40)} (process ${pid} on ${lineText(host, 40)})`,
        lineText(agents.join(', '), 120),
        `${driving} of ${concurrency}`,
        `${Math.round(silentMs / 1_000)} s ago`,
      ]),
    ]),
    table('Runs that workers leave alone', 'Workers take every run.', [
      ['Run', 'Agent', 'Why', 'Until', ''],
      ...postponed.map(({ runId, agent, problem: why = 'begins later', failures, until }) => [
        h('a', { href: runAddress(runId) }, runId),
        agentName(agent),
        failures > 0 ? `failed ${failures} times: ${lineText(why, 200)}` : why,
        until === undefined ? 'somebody retries it' : timeText(until),
        button(
          'Retry',
          () => void write(`postponed/${encodeURIComponent(runId)}/retry`, `Workers may take ${runId} again.`),
        ),
      ]),
    ]),
  ])
}

/** Returns a table with its first row as the heads, or a sentence if there are no other rows. */
function table(
  caption: string,
  empty: string,
  [heads = [], ...rows]: readonly (readonly ComponentChild[])[],
): ComponentChild {
  const body = rows.map((cells) => rowOf('td', cells))
  const whole = h('table', null, [h('thead', null, rowOf('th', heads)), h('tbody', null, body)])
  return h('section', null, [
    h('h2', null, caption),
    rows.length === 0 ? h('p', { class: 'note' }, empty) : h('div', { class: 'table' }, whole),
  ])
}

function rowOf(kind: 'th' | 'td', texts: readonly ComponentChild[]): ComponentChild {
  const cells = texts.map((text) => h(kind, null, text))
  return h('tr', null, cells)
}
