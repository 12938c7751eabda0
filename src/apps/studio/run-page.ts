import { type ComponentChild, h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { RunState } from '../../ports.ts'
import type { FamilyMember } from '../../servers/studio/family.ts'
import { CallStrip } from './call-strip.ts'
import { ChartView } from './chart-view.ts'
import { marksOf } from './run-marks.ts'
import { post, problemOf } from './client.ts'
import { Talk } from './talk.ts'
import { childOf, DecideCard, type Previews } from './decide.ts'
import { Facts } from './facts.ts'
import { askingBelow, FamilyTree, rootAgent } from './family-tree.ts'
import { RunFollower } from './follow-run.ts'
import { lineText } from './format.ts'
import { alertOf, StatusMark, useRead } from './parts.ts'
import { type KnownRun, type ShownRun, shownByState } from './run-model.ts'
import { runAddress } from './route.ts'
import { Timeline } from './timeline.ts'
import { Transcript } from './transcript.ts'

interface RunPageProps {
  readonly runId: string
  readonly version: number | undefined
  /** Names of the agents whose runs the studio drives. */
  readonly agents: readonly string[]
}

/**
 * One run: its chart, its waiting calls, its transcript and its checkpoints; in its current state, or at a checkpoint.
 */
export function RunPage({ runId, version, agents }: RunPageProps): ComponentChild {
  const [known, setKnown] = useState<KnownRun>({ passed: [] })
  const [said, setSaid] = useState('')
  const [isBusy, setIsBusy] = useState(false)
  const [inside, setInside] = useState('')
  const follower = useRef<RunFollower | null>(null)
  useEffect(() => {
    const following = new RunFollower(runId, setKnown)
    follower.current = following
    return () => following.end()
  }, [runId])
  const past = useRead<RunState>(version === undefined ? undefined : `runs/${encodeURIComponent(runId)}/at/${version}`)
  const { summary, trouble } = known
  const title = summary?.record.prompt ?? runId
  useEffect(() => void (document.title = `${lineText(title, 80)} · statewright studio`), [title])
  const hasFamily = isInFamily(known)
  const { value: family } = useRead<FamilyMember>(
    hasFamily ? `runs/${encodeURIComponent(runId)}/family` : undefined,
    true,
  )
  const stood = past.value?.version === version ? past.value : undefined
  const shown = version === undefined ? known.shown : stood && shownByState(stood)
  const fork = async (from: number) => {
    setIsBusy(true)
    try {
      const begun = await post<{ runId: string }>(`runs/${encodeURIComponent(runId)}/fork`, { from })
      location.hash = runAddress(begun.runId)
    } catch (error) {
      setSaid(problemOf(error))
    }
    setIsBusy(false)
  }
  if (summary === undefined) return h(NotThere, { runId, ...(trouble && { trouble }) })
  const drives = agents.includes(rootAgent(summary.record.agent))
  return h('div', { class: 'run-page' }, [
    h(RunHead, { runId, known, drives }),
    alertOf(trouble?.text),
    h('p', { class: 'said', role: 'status' }, (version !== undefined && past.problem) || said),
    h('div', { class: 'panes' }, [
      h('section', { class: 'pane chart-pane', 'aria-label': 'Chart' }, [
        h(Timeline, { runId, summary, version, isBusy, onFork: (from) => void fork(from) }),
        h(ChartView, { chart: 'run', inside, marks: marksOf(known.passed, version), onInside: setInside }),
        h('h2', null, 'Tool calls'),
        shown !== undefined && h(CallStrip, { calls: shown.calls }),
      ]),
      h('section', { class: 'pane talk-pane', 'aria-label': 'What happened' }, [
        version === undefined &&
          h(Waiting, { runId, known, family, onSaid: setSaid, onDecided: () => follower.current?.look() }),
        hasFamily && family !== undefined && h(FamilyTree, { root: family, chosen: runId }),
        shown === undefined
          ? h('div', { class: 'loading', 'aria-busy': true })
          : h(Transcript, { key: version ?? 'now', run: shown }),
        version === undefined && drives && h(Talk, { runId, known, onSaid: setSaid }),
        h('h2', null, 'About'),
        h(Facts, { known }),
      ]),
    ]),
  ])
}

/** Returns true for the run of a sub-agent, and for a run that has called one. */
function isInFamily({ summary, shown }: KnownRun): boolean {
  const isChild = summary?.record.agent.includes('/') === true
  const calls = shown?.calls.some(({ childRunId }) => childRunId !== undefined) === true
  return isChild || calls || shown?.suspended.some((call) => childOf(call) !== undefined) === true
}

interface WaitingProps {
  readonly runId: string
  readonly known: KnownRun
  readonly family: FamilyMember | undefined
  onSaid(text: string): void
  onDecided(): void
}

function Waiting({ runId, known, family, onSaid, onDecided }: WaitingProps): ComponentChild {
  const suspended: ShownRun['suspended'] = known.shown?.suspended ?? []
  const version = known.summary?.record.version
  const isOpen = suspended.length > 0 && version !== undefined
  const path = `runs/${encodeURIComponent(runId)}/answers?version=${version}`
  const { value: looked } = useRead<Previews>(isOpen ? path : undefined)
  if (suspended.length === 0) return null
  const answered = new Set(known.summary?.answered)
  const own = suspended.filter((call) => childOf(call) === undefined)
  const open = own.filter(({ callId }) => !answered.has(callId)).length
  const heading = own.length === 0 ? 'Waits for a sub-agent' : open === 0 ? 'Answered' : `${waitText(open)} for you`
  return h('div', { class: 'waiting' }, [
    h('h2', null, heading),
    ...suspended.map((call) =>
      h(DecideCard, {
        key: call.suspension?.id ?? call.callId,
        runId,
        call,
        asking: askingBelow(family, childOf(call) ?? ''),
        isAnswered: answered.has(call.callId),
        leads: looked?.calls.find(({ callId }) => callId === call.callId)?.answers ?? [],
        onSaid,
        onDecided,
      }),
    ),
  ])
}

function waitText(open: number): string {
  return open === 1 ? 'One call waits' : `${open} calls wait`
}

/** Ends that the status does not name. */
const endWords: Readonly<Record<string, string>> = { plugin_requested: 'ended by a plugin', stopped: 'stopped early' }

interface HeadProps {
  readonly runId: string
  readonly known: KnownRun
  readonly drives: boolean
}

function RunHead({ runId, known: { summary, shown }, drives }: HeadProps): ComponentChild {
  const { record, isStopped, standing } = summary ?? {}
  const status = isStopped === true ? 'stopped' : (shown?.status ?? record?.status ?? 'running')
  const outcome = standing?.outcome
  const ends = outcome && [endWords[outcome.reason], outcome.code, outcome.error?.message]
  const why = (ends ?? []).filter((one) => one !== undefined).join(' · ')
  return h('header', { class: 'run-head' }, [
    h('a', { class: 'back', href: '#/' }, '← Runs'),
    h('h1', null, record?.prompt === undefined ? runId : lineText(record.prompt, 160)),
    h('p', { class: 'about' }, [
      h(StatusMark, { status }),
      why !== '' && h('span', null, lineText(why, 300)),
      h('span', { class: 'id' }, runId),
      !drives &&
        record?.status !== 'done' &&
        h('span', null, 'This studio does not drive this agent. It stores your answers for the process that does.'),
    ]),
  ])
}

const troubles = { gone: 'No such run', damaged: 'The run is damaged', lost: 'Not reached' } as const

function NotThere({ trouble, runId }: Pick<KnownRun, 'trouble'> & Pick<HeadProps, 'runId'>): ComponentChild {
  if (trouble === undefined) return h('div', { class: 'loading', 'aria-busy': true })
  return h('div', { class: 'empty' }, [
    h('h1', null, troubles[trouble.kind]),
    h('p', { role: 'alert' }, trouble.text),
    h('p', { class: 'id' }, runId),
    trouble.kind === 'damaged' &&
      h('p', null, 'The other runs of the store are not affected. "statewright doctor --runs" says more.'),
    h('a', { class: 'button', href: '#/' }, 'Back to the runs'),
  ])
}
