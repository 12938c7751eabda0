import { scripted } from '../../src/adapters/providers/scripted.ts'
import { describe, expect, test } from 'vitest'
import { resultsOf, statusesOf, transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { eventsOf, heldReply, runId, testAgent } from '../../proof/support/test-agent.ts'
import { heldTool, toolbox, toolNamed } from '../../proof/support/tools.ts'
import { start } from '../../proof/support/fake-clock.ts'

const unfinished = '[Tool execution was interrupted before producing a result.]'
const limits = { maxDurationMs: 1000 }
const stopped = { reason: 'stopped', code: 'max_duration' }

describe('AGT-12 the running-time limit', () => {
  test('AGT-12 the running-time limit ends a request to a silent model, with a note in the transcript and its turn closed', async () => {
    const hanging = heldReply()
    const { agent, clock, store } = testAgent({ limits, replies: [hanging.reply] })
    const run = agent.start('Hi', { runId })
    const events = eventsOf(run)
    await hanging.asked
    clock.advance(1000)
    expect((await run.settled()).outcome).toEqual(stopped)
    const told = (await events).map(({ type }) => type)
    expect(told.filter((type) => /^(run|turn)/.test(type))).toEqual([
      'run.started',
      'turn.started',
      'turn.ended',
      'run.ended',
    ])
    expect(await transcriptOf(store, runId)).toEqual([
      'user: Hi',
      'user: [Agent stopped: maximum running time reached]',
    ])
  })

  test("AGT-12 the running-time limit ends a retry's wait that is longer than the run may take", async () => {
    const failing = { error: { kind: 'rate_limit' as const, message: 'Later.', retryAfterMs: 20_000 } }
    const { agent, clock } = testAgent({ limits, replies: [failing] })
    const end = agent.run('Hi', { runId })
    await clock.sleeping(start + 20_000)
    clock.advance(1000)
    expect((await end).outcome).toEqual(stopped)
  })

  test('AGT-12 the running-time limit ends hanging tools and a call that waits for a person, each with a result', async () => {
    const held = heldTool()
    const { act } = toolbox()
    const { agent, clock, store } = testAgent({
      limits,
      replies: [calls(call('c1', 'held'), call('c2', 'gated')), 'Bye'],
      tools: [held.tool, act('gated', { needs: 'approval' })],
    })
    const end = agent.run('Hi', { runId })
    await held.begins('1.c1')
    clock.advance(1000)
    expect((await end).outcome).toEqual(stopped)
    expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'cancelled', '1.c2': 'cancelled' })
    expect(await resultsOf(store, runId)).toEqual({ '1.c1': unfinished, '1.c2': unfinished })
    held.finish('1.c1')
  })

  test('AGT-12 DEC-04 a decision that arrives when the running time is over has no effect, and reports it', async () => {
    const held = heldTool()
    const { done, act } = toolbox()
    const { agent, clock } = testAgent({
      limits,
      replies: [calls(call('c1', 'held'), call('c2', 'gated')), 'Bye'],
      tools: [held.tool, act('gated', { needs: 'approval' })],
      decisions: 'gate',
    })
    const run = agent.start('Hi', { runId })
    const end = run.settled()
    await held.begins('1.c1')
    expect(await run.approve('1.c2')).toMatchObject({ answer: 'applied' })
    clock.advance(1000)
    expect((await end).outcome).toEqual(stopped)
    expect(done).toEqual([])
    expect(await run.deny('1.c2')).toMatchObject({ answer: 'stale' })
  })

  test('AGT-11 AGT-12 a final answer has its own minute', async () => {
    const [first, final] = [heldReply(), heldReply()]
    const { agent, clock, toolChoices } = testAgent({
      limits,
      onLimit: 'finish',
      model: scripted([first.reply, final.reply], { by: 'calls' }),
    })
    const end = agent.run('Hi', { runId })
    await first.asked
    clock.advance(1000)
    await final.asked
    clock.advance(59_999)
    expect(toolChoices.at(-1)).toBe('none')
    clock.advance(1)
    expect((await end).outcome).toEqual(stopped)
  })

  test('AGT-12 CKP-03 a run resumed by another process has the remaining time', async () => {
    const held = heldTool('held', { effects: 'idempotent' })
    const options = { limits, replies: [calls(call('c0', 'slow')), calls(call('c1', 'held')), 'Bye'] }
    const slow = toolNamed('slow', () => {
      clock.advance(400)
      return 'done'
    })
    const { agent, store, clock } = testAgent({ ...options, tools: [slow, held.tool] })
    const run = agent.start('Hi', { runId })
    const lost = run.settled()
    await held.begins('2.c1')
    clock.advance(500)
    await run.detach()
    await expect(lost).rejects.toMatchObject({ code: 'run_detached' })
    clock.advance(50_000)

    const again = heldTool('held', { effects: 'idempotent' })
    const later = testAgent({ ...options, tools: [slow, again.tool], store, clock, process: 'p2' })
    const end = (await later.agent.load(runId)).settled()
    await again.begins('2.c1')
    clock.advance(599)
    expect(await statusesOf(store, runId)).toMatchObject({ '2.c1': 'running' })
    clock.advance(1)
    expect((await end).outcome).toEqual(stopped)
  })
})
