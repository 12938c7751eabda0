import { bareLoop } from '../../bare-loop.ts'
import { bareResume } from '../../bare-resume.ts'
import { BareStore } from '../../bare-store.ts'
import { bareDeltas } from '../../read-deltas.ts'
import { assistantMessage, promptMessage, resultMessage, userText } from '../../texts.ts'
import { made, type Plan } from '../script.ts'
import type { Subject } from '../subject.ts'

type Keep = (message: object, seq: number) => void

/** The hand-written loop beside the bare store, as in the benchmark of the repository. */
export const subject: Subject = {
  run: (plan) => play(plan),
  deltas: bareDeltas,
  async openDurable(path) {
    const store = new BareStore(path, 'normal')
    let runs = 0
    return {
      run: (plan) => {
        const id = `run ${runs++}`
        return play(plan, (message, seq) => store.append(id, seq, message))
      },
      close: async () => store.close(),
    }
  },
  async suspend(messages, path) {
    const store = new BareStore(path, 'normal')
    for (let seq = 1; seq <= messages; seq++)
      store.append('run', seq, seq === messages ? assistantMessage(seq, 1) : promptMessage(userText))
    store.close()
  },
  async goOn(path) {
    const store = new BareStore(path, 'normal')
    const { length } = store.read('run')
    store.append('run', length + 1, resultMessage(length, 0))
    store.append('run', length + 2, assistantMessage(length + 2, 0))
    store.close()
  },
  resume: (messages, path) => bareResume({ messages, path, synchronous: 'normal' }),
}

async function play({ turns, calls }: Plan, keep: Keep = () => {}): Promise<void> {
  await bareLoop({ turns, calls, keep })
  made.calls += turns * calls
}
