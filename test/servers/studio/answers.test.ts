import { expect, test } from 'vitest'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { type CallPreview, previewAnswers } from '../../../src/testing/index.ts'
import { clerk } from './clerk.ts'
import { askStudio, studioFor } from './open.ts'

const json = async (url: string): Promise<unknown> => (await askStudio(url)).json()

test('OBS-03 VER-01 a studio predicts the effect of each answer to a run, and of an edit with its arguments', async () => {
  const store = memoryStore()
  const sent: unknown[] = []
  const { runId } = await clerk(store, sent).run('Go')
  const { url } = await studioFor({ store, agents: [clerk(store, sent)] })
  const path = `${url}api/runs/${runId}/answers`
  const next = 'The model is asked next.'
  const approve = {
    action: 'approve',
    next: 'model',
    text: `"send_mail" runs with the arguments that are shown. ${next}`,
  }
  const deny = {
    action: 'deny',
    next: 'model',
    text: `"send_mail" does not run, and the model is told that it was denied. ${next}`,
  }
  const answer = { toolName: 'send_mail', answers: [approve, expect.anything(), deny] }
  const [first] = (await previewAnswers(clerk(store, sent), store, runId)) as [CallPreview]
  const id = encodeURIComponent(first.callId)
  expect(await json(path)).toEqual({ calls: [{ ...answer, callId: first.callId }] })
  expect(await json(`${path}?call=${id}&input=${encodeURIComponent('{"to":"ben","copies":0}')}`)).toMatchObject({
    calls: [
      {
        answers: [
          approve,
          {
            action: 'edit',
            next: 'waits',
            text: expect.stringContaining('The edit is refused. The input does not fit'),
          },
          deny,
        ],
      },
    ],
  })
  expect((await askStudio(`${path}?call=${id}&input=%7B`)).status).toBe(400)
  expect((await askStudio(`${url}api/runs/gone/answers`)).status).toBe(404)
  const other = await studioFor({ store })
  expect(await json(`${other.url}api/runs/${runId}/answers`)).toEqual({ calls: [] })
  expect(sent).toEqual([])
})
